package dev.ropewalk.fibers.coroutine;

import org.jspecify.annotations.Nullable;

/**
 * Shows on whose behalf a {@link ControlNode} runs (rule F16): each plain fiber brings one with its
 * call on a coroutine, it is passed on with control, and it comes back with the answer.
 *
 * <p>Everything is confined to the cord's thread.
 */
final class CallerToken {
    /*
     * A caller that passes it on and waits has a claim: it takes the token back if it leaves that
     * wait. The claims are a stack, linked through the nodes, with the plain fiber's own at the
     * bottom. The end of a wait ends its claim; if the token came to it, also the claims of those
     * that passed it on later, because control has come back past them.
     *
     * Invariant: node.token == t exactly if t.holder == node.
     *
     * Rejected: to search for the token at the end of the chain of resumes only, because it may
     * have been transferred on from there; and to let each one that leaves a wait have it, because
     * then one takes it from another with an older claim, in whose chain the plain fiber waits.
     */
    final ControlNode plain;

    private ControlNode holder;
    private @Nullable ControlNode lastClaim;

    /** It is the plain fiber's to begin with. */
    CallerToken(ControlNode plain) {
        this.plain = plain;
        this.holder = plain;
    }

    ControlNode holder() {
        return holder;
    }

    /** Whether the plain fiber still waits: another acts for it. */
    boolean isLent() {
        return holder != plain;
    }

    /** From its holder. */
    void moveTo(ControlNode to) {
        holder.token = null;
        holder = to;
        to.token = this;
    }

    /** It has passed the token on and waits. */
    void claimFor(ControlNode lender) {
        lender.claim = this;
        lender.claimBefore = lastClaim;
        lastClaim = lender;
    }

    /** The wait of this plain fiber is over, and the token is with it or not. */
    void endClaim(ControlNode lender, boolean isBack) {
        ControlNode later = null;
        ControlNode each = lastClaim;
        while (each != null && each != lender) {
            ControlNode before = each.claimBefore;
            if (isBack) {
                forget(each);
            } else {
                later = each;
            }
            each = before;
        }
        if (later == null) {
            lastClaim = lender.claimBefore;
        } else {
            later.claimBefore = lender.claimBefore;
        }
        forget(lender);
    }

    private static void forget(ControlNode lender) {
        lender.claim = null;
        lender.claimBefore = null;
    }
}
