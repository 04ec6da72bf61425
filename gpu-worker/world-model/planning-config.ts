/** Every number that tunes planning, and what it means. The values are in planning/tunables.json, and copied to a checkpoint's manifest. */
import { z } from "zod";

const share = z.number().min(0).max(1);
/** Weights of the features of a sequence (OutcomeFeatures in planning/actions/outcome.ts); `shift` is the intercept. */
const outcomeWeights = z.object({
  fit: z.number(),
  covered: z.number(),
  agreed: z.number(),
  ended: z.number(),
  shift: z.number(),
});

export const PlanningConfig = z.object({
  /** Plans over the 903 actions (planning/actions/proposals.ts, plan-actions.ts). */
  proposals: z.object({
    /** Plans drawn from the decoder. */
    samples: z.int().positive(),
    temperature: z.number().positive(),
    /** Less likely actions are not drawn: the tail of the 903 is mostly noise. */
    minChance: share,
    /** Weight of an identical episode of the library (all samples together weigh 1), and how fast it falls with similarity. */
    recallWeight: z.number().nonnegative(),
    recallSharpness: z.number(),
    /**
     * An episode counts from this share of samples (`from`) that hold one of its actions. For a familiar goal every episode
     * counts, unless a share of `agreedFrom` of the samples holds the same action.
     */
    shared: z.object({ from: share, agreedFrom: share }),
    /** Support of a step among the proposals -> probability that the step is right: sigmoid(scale x support + shift). */
    sureness: z.object({ scale: z.number(), shift: z.number() }),
  }),
  /** A goal is familiar from this similarity to the nearest episode on (planning/actions/plan-actions.ts). */
  familiarFrom: z.number(),
  /** Wishes: the actions that the parts of a goal ask for (planning/actions/wishes.ts). */
  wishes: z.object({
    /** Least probability of an action's verb for a wish: for one part among several, and for a goal of one part. */
    from: share,
    wholeFrom: share,
    /** Another action serves a wish from this share of the wished action's probability on. */
    servedFrom: share,
    /** A part asks for an action from this share of its likeliest action's probability on. */
    askedFrom: share,
    /**
     * `unaskedTrust`: factor on the probability of a step that no part asks for. `agreedFrom`: a step before the first one that
     * is asked for is kept from this probability on.
     */
    unaskedTrust: share,
    agreedFrom: share,
    /**
     * What a step needs to keep its probability: `wish` is the least that the reader of wishes gives to the step's verb, `both` the least
     * sum of that and the weight of the decoder's proposals that hold the step.
     */
    backedFrom: z.object({ wish: share, both: z.number() }),
    /**
     * Least probability of a verb for a part that states something: "my card was stolen" asks for something, "I called the vet"
     * hardly does. `beside`: of a goal with other parts, where more is needed than `alone`.
     */
    statedFrom: z.object({ alone: share, beside: share }),
    /** Added to each action's weight among the proposals, so that a wish can keep an action that no proposal holds. */
    unheld: z.number().positive(),
    /** Weight of the wishes' proposal, where the decoder's together weigh 1: `single` times its probability, or `several`. */
    weight: z.object({ single: z.number(), several: z.number() }),
    /** Probability of the verb -> probability that the step is right: sigmoid(scale x ln probability + shift). */
    sureness: z.object({ scale: z.number(), shift: z.number() }),
  }),
  /** Which goals are a household robot's, and what only a robot does (planning/actions/robot-goals.ts). */
  robot: z.object({
    /** Names of the actions that are mostly a robot's in the training data. */
    actions: z.array(z.string()),
    /** The state in which a robot's errands begin. */
    opening: z.string(),
    /** Examples of what a robot's states read like. A state is one from this cosine with an example on. */
    states: z.array(z.string()),
    statesFrom: share,
    /** A goal is a robot's from this mean similarity of its nearest episodes on, of which only a robot's errands count. */
    errandsFrom: share,
    /** Probability from which a part asks for such an action itself: "slice the array". */
    askedFrom: share,
  }),
  /** Once steps were taken, a goal counts as reached from this P(goal reached) on. */
  reachedFrom: share,
  /** Weights of the regression for the probability that a sequence reaches its goal (planning/actions/outcome.ts). */
  outcome: z.object({
    /** Similarity to the nearest episode from which the library counts, and how gradually. */
    known: z.object({ from: z.number(), spread: z.number().positive() }),
    unlike: outcomeWeights,
    like: outcomeWeights.extend({ recalled: z.number(), change: z.number(), chance: z.number() }),
  }),
  /** Plans over tools (planning/tools/plan-tools.ts). */
  session: z.object({
    /**
     * Probability of all endings together from which a plan stops: at its first step, at later steps, and at any step once calls
     * have served every part of the last message.
     */
    stopFrom: share,
    planStopFrom: share,
    servedStopFrom: share,
    /** The same at a plan's first step, by the count of calls (planning/session/progress.ts). */
    countedStopFrom: z.object({
      thanked: share,
      passed: share,
      answered: share,
      looked: share,
      named: share,
      counted: share,
      verified: share,
      behind: share,
    }),
    /**
     * Added to a tool's log odds (planning/session/evidence.ts). `missing`: an id that it requires is unknown. `unnamed`: the same, where
     * the user or a result mentioned a number. `given`: a result gave an id that no call has used. `again`: its last call failed, and the
     * error says how to correct it. `sequel`: it followed such a call before. `checks`: it finds errors, and the last call changed a file.
     * `inquired`: it only looks, and a later message holds a question. `repeated`: the message asks again for what it was called for, or
     * turns back to the last change. `corrected`: the message corrects a value, and it made the last change or adjusts; or it alone has the
     * verb of "cancel it". `wished`: factor of the logarithm of the probability that the message asks for its verb. After a failure
     * (planning/session/after-failures.ts) `pointed`: the error names it. `lacking`: its call lacked something; subtracted where its change
     * cannot succeed. `searches`: it searches, and something was not found. `repairs`: it edits or reads files, and a check failed. `redo`:
     * its call failed, and another has succeeded since. `handsIn`: it hands the work in. By what the message still asks for
     * (planning/session/left-over.ts) `nextItem`: a list has a thing for which it was not called. `tells`: it tells somebody, or an order is
     * its name.
     */
    evidence: z.object({
      missing: z.number(),
      unnamed: z.number(),
      given: z.number(),
      again: z.number(),
      sequel: z.number(),
      checks: z.number(),
      inquired: z.number(),
      repeated: z.number(),
      corrected: z.number(),
      wished: z.number(),
      pointed: z.number(),
      lacking: z.number(),
      searches: z.number(),
      repairs: z.number(),
      redo: z.number(),
      handsIn: z.number(),
      nextItem: z.number(),
      tells: z.number(),
    }),
    /**
     * Exponents of the tool mixer's probabilities at a session's first turn, where they are multiplied with the reader's: for a goal of
     * one part (`whole`) and of several (`inParts`). `uninstructed`: the same for several parts where the system prompt has at most
     * `maxCharacters` and no word of instruction, so that it does not say how to go about the work. There the mixer also counts for the
     * first part that asks, and once calls were made or planned (`nextPart`) for the first part that none of them has served.
     */
    mixerTrust: z.object({
      whole: share,
      inParts: share,
      uninstructed: z.object({
        maxCharacters: z.number(),
        message: share,
        firstPart: share,
        nextPart: share,
      }),
    }),
    /**
     * Which tools a conversation's first plan calls (planning/tools/choose-calls.ts): weights of a logistic regression. `recall`: how much
     * a missing call weighs beside one too many. `firstFrom`: another call than the reader's first becomes the first from this
     * probability on.
     */
    calls: z.object({
      weights: z.object({
        part: z.number(),
        none: z.number(),
        leads: z.number(),
        reader: z.number(),
        planned: z.number(),
      }),
      shift: z.number(),
      recall: share,
      firstFrom: share,
    }),
    /** A tool, or without tools a first step, with a lower probability is named only as a guess. */
    unsureBelow: share,
    /** A tool that the order of the message puts first leads from this share of the likeliest first tool's probability on. */
    leadsFrom: share,
    /**
     * The list of likely tools. `from`: probability that it contains the next tool. `most`: its most entries. `askedFrom`: a
     * message hardly asks for a tool to which the mixer gives less.
     */
    likely: z.object({ from: share, most: z.int().positive(), askedFrom: share }),
    /**
     * A tool is forbidden from this probability on that the mixer gives it for a denied part, since the mixer hardly sees a
     * "not". `open`: for a denied part without an object, such as "don't buy it", the probabilities are lower, since "it" is in
     * no tool's words.
     */
    forbiddenFrom: z.object({ open: share, other: share }),
  }),
  /** Tool -> action: bonuses added to the cosine (world-model/actions.ts), and the score below which the tool is `unk`. */
  toolAction: z.object({
    verbBonus: z.number(),
    objectBonus: z.number(),
    spokenBonus: z.number(),
    bareBonus: z.number(),
    containedBonus: z.number(),
    otherEffect: z.number(),
    unknownBelow: z.number(),
  }),
  /**
   * Factors on a plan's probabilities if the goal is not in English, the only language that the encoder has learned: about the
   * share that was right. Of 52 everyday goals in 22 other languages every plan over the 903 had a confidence of .5 or more, and
   * two were right. Over tools 10 were that confident and 4 right, and 15 of 42 lists of likely tools held the right one.
   */
  foreignTrust: z.object({ actions: share, tools: share }),
  /** Probabilities from which on a step's label is High, and Medium. */
  confidence: z.object({ high: share, medium: share }),
  /** Texts used for an empty state or goal. */
  neutralState: z.string(),
  neutralGoal: z.string(),
});
export type PlanningConfig = z.infer<typeof PlanningConfig>;
