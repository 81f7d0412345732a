/** Gates on the documents: their examples are tested code, and their lists are complete. */
@NullMarked
package dev.ropewalk.examples.documents;

import org.jspecify.annotations.NullMarked;
