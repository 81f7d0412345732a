package dev.ropewalk.fibers;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a part of the API that may change in any version, or go: a package, with all that is in it,
 * or a type, with its members.
 *
 * <p>A marked part works, and is tested and documented like the rest; a defect in it is a defect.
 * Only its shape is not promised: names, parameters and types may be others in the next version,
 * also where the number of that version says that nothing else breaks. The changelog names each
 * such change. All else changes as Semantic Versioning allows.
 *
 * <p>A program may use a marked part. A library that others build on passes the risk on to them,
 * and better keeps it out of its own API.
 *
 * <p>The mark goes once programs other than tests have used the part; it is in the class file,
 * where tools find it, and not there at run time.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PACKAGE, ElementType.TYPE})
public @interface Incubating {}
