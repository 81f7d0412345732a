package dev.ropewalk.actors.supervision;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.supervision.RestartRule;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A supervisor and its children, as one expression; immutable, checked when it is made, and started
 * as often as wanted. It prints itself as a tree.
 *
 * <p>The children are started in order, each when the one before is up; they are stopped in reverse
 * order.
 */
public final class Tree extends ChildSpec<Tree> {
    private final Supervision rules;
    private final List<ChildSpec<?>> children;

    private Tree(String id, Supervision rules, List<ChildSpec<?>> children, Options options) {
        super(id, options);
        this.rules = rules;
        this.children = children;
    }

    /**
     * {@return an actor as a child}
     *
     * @param <M> the type of the actor's messages
     * @param id its name
     * @param actor how it is made
     * @throws IllegalArgumentException if the name is blank or has a {@code /}
     */
    public static <M> ActorSpec<M> child(String id, Actor<M> actor) {
        return new ActorSpec<>(id, actor, Options.DEFAULT);
    }

    /**
     * {@return a supervisor that starts the one child again that failed}
     *
     * @param id its name
     * @param children in the order of their start
     * @throws IllegalArgumentException if two have the same name, or the name cannot be a name
     */
    public static Tree oneForOne(String id, ChildSpec<?>... children) {
        return of(id, Supervision.oneForOne(), children);
    }

    /**
     * {@return a supervisor that starts all children again when one fails}
     *
     * @param id its name
     * @param children in the order of their start
     * @throws IllegalArgumentException if two have the same name, or the name cannot be a name
     */
    public static Tree oneForAll(String id, ChildSpec<?>... children) {
        return of(id, Supervision.oneForAll(), children);
    }

    /**
     * {@return a supervisor that starts the child again that failed, and those started after it}
     *
     * @param id its name
     * @param children in the order of their start
     * @throws IllegalArgumentException if two have the same name, or the name cannot be a name
     */
    public static Tree restForOne(String id, ChildSpec<?>... children) {
        return of(id, Supervision.restForOne(), children);
    }

    /**
     * {@return a supervisor without children, for those that come and go} They are added by {@link
     * Supervisor#spin}.
     *
     * @param id its name
     * @throws IllegalArgumentException if the name cannot be a name
     */
    public static Tree dynamic(String id) {
        return of(id, Supervision.dynamic());
    }

    /**
     * {@return a supervisor}
     *
     * @param id its name
     * @param rules how it works
     * @param children in the order of their start
     * @throws IllegalArgumentException if two children have the same name, the name cannot be a
     *     name, or {@link Strategy#DYNAMIC} is given children
     */
    public static Tree of(String id, Supervision rules, ChildSpec<?>... children) {
        List<ChildSpec<?>> all = List.of(children);
        Set<String> ids = new HashSet<>();
        for (ChildSpec<?> child : all) {
            if (!ids.add(child.id())) {
                throw new IllegalArgumentException(
                        "two children of " + id + " have the id " + child.id());
            }
        }
        if (rules.strategy().stopsSideBySide() && !all.isEmpty()) {
            throw new IllegalArgumentException(
                    id + " is dynamic, and its children come by spin; it was given " + ids);
        }
        return new Tree(id, rules, all, Options.DEFAULT);
    }

    /** {@return how the supervisor works} */
    public Supervision rules() {
        return rules;
    }

    /** {@return the children in the order of their start} */
    public List<ChildSpec<?>> children() {
        return children;
    }

    /**
     * {@return this tree with another intensity of its supervisor}
     *
     * @param restarts how many restarts are allowed
     * @param within the length of the sliding window
     */
    public Tree intensity(int restarts, Duration within) {
        return rules(rules.intensity(restarts, within));
    }

    /**
     * {@return this tree with a back-off of its supervisor}
     *
     * @param delays how long to wait before a restart
     */
    public Tree backOff(BackOff delays) {
        return rules(rules.backOff(delays));
    }

    /**
     * {@return this tree, whose supervisor ends itself with its significant children}
     *
     * @param when with which of them
     */
    public Tree autoShutdown(AutoShutdown when) {
        return rules(rules.autoShutdown(when));
    }

    /**
     * {@return this tree with other rules of its supervisor}
     *
     * @param changed how it works
     */
    public Tree rules(Supervision changed) {
        return new Tree(id(), Objects.requireNonNull(changed, "changed"), children, options());
    }

    @Override
    Tree with(Options changed) {
        return new Tree(id(), rules, children, changed);
    }

    /**
     * Refuses what can never work together.
     *
     * @throws IllegalArgumentException if a child is significant and the supervisor never ends
     *     itself, or the child is permanent
     */
    public void check() {
        children.forEach(child -> checkChild(id(), rules, child));
    }

    /**
     * Refuses a child that can never work below a supervisor.
     *
     * @param supervisor its name
     * @param rules how it works
     * @param child to be started below it
     * @throws IllegalArgumentException as {@link #check}
     */
    public static void checkChild(String supervisor, Supervision rules, ChildSpec<?> child) {
        if (child.isSignificant()) {
            if (rules.autoShutdown() == AutoShutdown.NEVER) {
                throw new IllegalArgumentException(
                        child.id()
                                + " is significant, but its supervisor "
                                + supervisor
                                + " never ends itself; give that autoShutdown(ANY) or ALL");
            }
            if (child.restartRule() == RestartRule.PERMANENT) {
                throw new IllegalArgumentException(
                        child.id()
                                + " is significant and permanent, so it never ends for good; make"
                                + " it transient or temporary");
            }
        }
        if (child instanceof Tree below) {
            below.check();
        }
    }

    /** The tree, a line for each child. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        append(text, "", "");
        return text.toString();
    }

    private void append(StringBuilder text, String first, String rest) {
        text.append(first).append(id()).append(" (").append(rules).append(')');
        text.append(describeOptions()).append('\n');
        for (int i = 0; i < children.size(); i++) {
            boolean isLast = i == children.size() - 1;
            String branch = rest + (isLast ? "`- " : "|- ");
            if (children.get(i) instanceof Tree below) {
                below.append(text, branch, rest + (isLast ? "   " : "|  "));
            } else {
                text.append(branch).append(children.get(i)).append('\n');
            }
        }
    }
}
