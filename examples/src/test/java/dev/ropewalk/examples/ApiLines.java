package dev.ropewalk.examples;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassSignature;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodSignature;
import java.lang.classfile.Signature;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.attribute.RecordComponentInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What programs can name, a line for each type and each of its members, which starts with the full
 * name of the type. Sorted as text, a type stands before its members, and these before the types
 * nested in it. A member that a type inherits from one that programs cannot name is a member of it.
 * What each enum has ({@code values}, {@code valueOf}) and each record overrides ({@code equals},
 * {@code hashCode}, {@code toString}) is left out.
 */
final class ApiLines {
    private static final Set<String> OF_EACH_ENUM =
            Set.of("values()", "valueOf(Ljava/lang/String;)");
    private static final Set<String> OF_EACH_RECORD =
            Set.of("equals(Ljava/lang/Object;)", "hashCode()", "toString()");

    private final Map<String, ClassModel> ours;
    private final Predicate<String> isExported;

    /**
     * @param ours all of ours, by internal name
     * @param isExported whether programs can name what is in a package, which is named with slashes
     */
    ApiLines(Map<String, ClassModel> ours, Predicate<String> isExported) {
        this.ours = ours;
        this.isExported = isExported;
    }

    /** Of those of these types that programs can name. */
    List<String> of(Collection<String> names) {
        Set<String> lines = new TreeSet<>();
        for (String name : names) {
            if (isApi(name)) {
                addLines(model(name), lines);
            }
        }
        return List.copyOf(lines);
    }

    private ClassModel model(String name) {
        ClassModel model = ours.get(name);
        if (model == null) {
            throw new IllegalArgumentException("no class " + name);
        }
        return model;
    }

    private boolean isApi(String name) {
        if (!ours.containsKey(name)) {
            return false;
        }
        ClassModel model = model(name);
        if (!isExported.test(name.substring(0, name.lastIndexOf('/')))) {
            return false;
        }
        Optional<InnerClassInfo> nesting = nesting(model);
        if (nesting.isEmpty()) {
            return model.flags().has(AccessFlag.PUBLIC);
        }
        return shows(nesting.get().flags())
                && nesting.get()
                        .outerClass()
                        .map(outer -> isApi(outer.asInternalName()))
                        .orElse(false);
    }

    private static Optional<InnerClassInfo> nesting(ClassModel model) {
        return model.findAttribute(Attributes.innerClasses()).stream()
                .flatMap(all -> all.classes().stream())
                .filter(each -> each.innerClass().equals(model.thisClass()))
                .findFirst();
    }

    private static boolean shows(Set<AccessFlag> flags) {
        return flags.contains(AccessFlag.PUBLIC) || flags.contains(AccessFlag.PROTECTED);
    }

    private void addLines(ClassModel type, Set<String> lines) {
        String name = ApiTypeText.dotted(type.thisClass().asInternalName());
        lines.add(name + " " + typeText(type));
        Set<String> seen = new HashSet<>();
        for (ClassModel each : withHiddenSupertypes(type)) {
            for (FieldModel field : each.fields()) {
                if (isShown(field.flags().flags(), type)
                        && seen.add(field.fieldName().stringValue())) {
                    lines.add(name + "#" + fieldText(field));
                }
            }
            for (MethodModel method : each.methods()) {
                if (isShown(method.flags().flags(), type)
                        && (each == type || !isConstructor(method))
                        && !isImplied(method, type)
                        && seen.add(key(method))) {
                    lines.add(name + "#" + methodText(method, type));
                }
            }
        }
    }

    private static boolean isShown(Set<AccessFlag> flags, ClassModel type) {
        boolean isOpen = !type.flags().has(AccessFlag.FINAL);
        return !flags.contains(AccessFlag.SYNTHETIC)
                && (flags.contains(AccessFlag.PUBLIC)
                        || (flags.contains(AccessFlag.PROTECTED) && isOpen));
    }

    private static boolean isConstructor(MethodModel method) {
        return method.methodName().equalsString("<init>");
    }

    private static boolean isImplied(MethodModel method, ClassModel type) {
        return switch (kind(type)) {
            case "enum" -> OF_EACH_ENUM.contains(key(method));
            case "record" -> OF_EACH_RECORD.contains(key(method));
            default -> false;
        };
    }

    /** What two methods have in common one of which overrides the other. */
    private static String key(MethodModel method) {
        String type = method.methodType().stringValue();
        return method.methodName().stringValue() + type.substring(0, type.indexOf(')') + 1);
    }

    // ---------------------------------------------------------------- types

    private static String kind(ClassModel type) {
        if (type.flags().has(AccessFlag.ANNOTATION)) {
            return "@interface";
        } else if (type.flags().has(AccessFlag.INTERFACE)) {
            return "interface";
        } else if (type.flags().has(AccessFlag.ENUM)) {
            return "enum";
        }
        return type.findAttribute(Attributes.record()).isPresent() ? "record" : "class";
    }

    private String typeText(ClassModel type) {
        ApiTypeText text = new ApiTypeText(type);
        ClassSignature signature = signature(type);
        String name = ApiTypeText.dotted(type.thisClass().asInternalName());
        String kind = kind(type);
        List<String> words = new ArrayList<>(ApiTypeText.annotationsOf(type));
        Set<AccessFlag> flags =
                nesting(type).map(InnerClassInfo::flags).orElseGet(() -> type.flags().flags());
        words.add(access(flags));
        if (kind.equals("class")) {
            addIf(words, flags, AccessFlag.STATIC, AccessFlag.ABSTRACT, AccessFlag.FINAL);
        }
        boolean isSealed = type.findAttribute(Attributes.permittedSubclasses()).isPresent();
        if (isSealed && !kind.equals("enum")) { // the bodies of its constants seal an enum
            words.add("sealed");
        }
        words.add(kind);
        words.add(
                name.substring(name.lastIndexOf('.') + 1)
                        + text.parameters(signature.typeParameters())
                        + components(type));
        Set<String> above = new LinkedHashSet<>();
        Set<String> interfaces = new LinkedHashSet<>();
        addSupertypes(type, above, interfaces);
        if (kind.equals("class")) {
            above.remove("Object");
            addList(words, "extends", above);
        }
        if (!kind.equals("@interface")) {
            addList(words, kind.equals("interface") ? "extends" : "implements", interfaces);
        }
        if (isSealed && !kind.equals("enum")) {
            addList(words, "permits", permitted(type));
        }
        return String.join(" ", words);
    }

    private static String access(Set<AccessFlag> flags) {
        return flags.contains(AccessFlag.PROTECTED) ? "protected" : "public";
    }

    private static void addIf(List<String> words, Set<AccessFlag> flags, AccessFlag... wanted) {
        for (AccessFlag each : wanted) {
            if (flags.contains(each)) {
                words.add(each.name().toLowerCase(Locale.ROOT));
            }
        }
    }

    private static void addList(List<String> words, String word, Collection<String> types) {
        if (!types.isEmpty()) {
            words.add(word + " " + String.join(", ", types));
        }
    }

    private static ClassSignature signature(ClassModel type) {
        return type.findAttribute(Attributes.signature())
                .map(found -> found.asClassSignature())
                .orElseGet(
                        () ->
                                ClassSignature.of(
                                        Signature.ClassTypeSig.of(
                                                type.superclass().orElseThrow().asSymbol()),
                                        type.interfaces().stream()
                                                .map(each -> each.asSymbol())
                                                .map(Signature.ClassTypeSig::of)
                                                .toArray(Signature.ClassTypeSig[]::new)));
    }

    private static String components(ClassModel type) {
        return type.findAttribute(Attributes.record())
                .map(
                        found ->
                                found.components().stream()
                                        .map(ApiLines::componentText)
                                        .collect(Collectors.joining(", ", "(", ")")))
                .orElse("");
    }

    private static String componentText(RecordComponentInfo component) {
        Signature type =
                component
                        .findAttribute(Attributes.signature())
                        .map(found -> found.asTypeSignature())
                        .orElseGet(() -> Signature.of(component.descriptorSymbol()));
        return new ApiTypeText(component).of(type, ApiTypeText.FIELD)
                + " "
                + component.name().stringValue();
    }

    /** In place of one that programs cannot name stand those above it. */
    private void addSupertypes(ClassModel type, Set<String> classes, Set<String> interfaces) {
        ApiTypeText text = new ApiTypeText(type);
        ClassSignature signature = signature(type);
        String above = type.superclass().orElseThrow().asInternalName();
        if (isHidden(above)) {
            addSupertypes(model(above), classes, interfaces);
        } else {
            classes.add(text.of(signature.superclassSignature(), ApiTypeText.supertype(0xffff)));
        }
        for (int i = 0; i < type.interfaces().size(); i++) {
            String each = type.interfaces().get(i).asInternalName();
            if (isHidden(each)) {
                addSupertypes(model(each), new HashSet<>(), interfaces);
            } else {
                Signature written = signature.superinterfaceSignatures().get(i);
                interfaces.add(text.of(written, ApiTypeText.supertype(i)));
            }
        }
    }

    private boolean isHidden(String name) {
        return ours.containsKey(name) && !isApi(name);
    }

    private List<ClassModel> withHiddenSupertypes(ClassModel type) {
        List<ClassModel> all = new ArrayList<>(List.of(type));
        List<ClassEntry> above = new ArrayList<>(type.interfaces());
        type.superclass().ifPresent(above::addFirst);
        for (ClassEntry each : above) {
            if (isHidden(each.asInternalName())) {
                all.addAll(withHiddenSupertypes(model(each.asInternalName())));
            }
        }
        return all;
    }

    private Collection<String> permitted(ClassModel type) {
        return type
                .findAttribute(Attributes.permittedSubclasses())
                .orElseThrow()
                .permittedSubclasses()
                .stream()
                .map(ClassEntry::asInternalName)
                .filter(this::isApi)
                .map(ApiTypeText::dotted)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    // ---------------------------------------------------------------- members

    private static String fieldText(FieldModel field) {
        Set<AccessFlag> flags = field.flags().flags();
        List<String> words = new ArrayList<>(List.of(field.fieldName().stringValue()));
        words.addAll(ApiTypeText.annotationsOf(field));
        if (flags.contains(AccessFlag.ENUM)) {
            words.add("enum constant");
            return String.join(" ", words);
        }
        words.add(access(flags));
        addIf(words, flags, AccessFlag.STATIC, AccessFlag.FINAL);
        Signature type =
                field.findAttribute(Attributes.signature())
                        .map(found -> found.asTypeSignature())
                        .orElseGet(() -> Signature.of(field.fieldTypeSymbol()));
        words.add(new ApiTypeText(field).of(type, ApiTypeText.FIELD));
        field.findAttribute(Attributes.constantValue())
                .map(found -> found.constant().constantValue())
                .map(value -> constant(value, field.fieldType().stringValue()))
                .ifPresent(value -> words.add("= " + value));
        return String.join(" ", words);
    }

    /** In a class file the small types are ints. */
    private static String constant(Object value, String descriptor) {
        if (value instanceof Integer number) {
            switch (descriptor) {
                case "Z" -> {
                    return String.valueOf(number != 0);
                }
                case "C" -> {
                    return ApiTypeText.literal((char) number.intValue());
                }
                default -> {}
            }
        }
        return ApiTypeText.literal(value);
    }

    private static String methodText(MethodModel method, ClassModel type) {
        ApiTypeText text = new ApiTypeText(method);
        MethodSignature signature =
                method.findAttribute(Attributes.signature())
                        .map(found -> found.asMethodSignature())
                        .orElseGet(() -> MethodSignature.of(method.methodTypeSymbol()));
        Set<AccessFlag> flags = method.flags().flags();
        boolean isConstructor = isConstructor(method);
        List<String> words = new ArrayList<>();
        words.add(
                (isConstructor ? "new" : method.methodName().stringValue())
                        + text.arguments(
                                signature.arguments(), flags.contains(AccessFlag.VARARGS)));
        words.addAll(ApiTypeText.annotationsOf(method));
        words.add(access(flags));
        addIf(words, flags, AccessFlag.STATIC, AccessFlag.ABSTRACT);
        if (!type.flags().has(AccessFlag.FINAL)) { // there it says nothing
            addIf(words, flags, AccessFlag.FINAL);
        }
        if (type.flags().has(AccessFlag.INTERFACE)
                && !flags.contains(AccessFlag.STATIC)
                && !flags.contains(AccessFlag.ABSTRACT)) {
            words.add("default");
        }
        if (!signature.typeParameters().isEmpty()) {
            words.add(text.parameters(signature.typeParameters()));
        }
        if (!isConstructor) {
            words.add(text.of(signature.result(), ApiTypeText.RETURN));
        }
        addList(words, "throws", thrown(method, signature, text));
        method.findAttribute(Attributes.annotationDefault())
                .ifPresent(
                        found -> words.add("default " + ApiTypeText.value(found.defaultValue())));
        return String.join(" ", words);
    }

    /** Sorted; a signature names them only if one is a type variable. */
    private static Set<String> thrown(
            MethodModel method, MethodSignature signature, ApiTypeText text) {
        Set<String> all = new TreeSet<>();
        List<Signature.ThrowableSig> generic = signature.throwableSignatures();
        for (int i = 0; i < generic.size(); i++) {
            all.add(text.of(generic.get(i), ApiTypeText.thrown(i)));
        }
        if (generic.isEmpty()) {
            method.findAttribute(Attributes.exceptions()).stream()
                    .flatMap(found -> found.exceptions().stream())
                    .map(each -> ApiTypeText.dotted(each.asInternalName()))
                    .forEach(all::add);
        }
        return all;
    }
}
