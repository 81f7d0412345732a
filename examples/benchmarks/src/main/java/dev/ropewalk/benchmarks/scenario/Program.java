package dev.ropewalk.benchmarks.scenario;

/** One scenario, written for one system. */
@FunctionalInterface
public interface Program {
    /**
     * Does the operations and checks nothing: the runner compares the answer.
     *
     * @param operations how many
     * @return the answer, see {@link Scenario#answer}
     * @throws Exception if it fails, which fails the run
     */
    long run(long operations) throws Exception;
}
