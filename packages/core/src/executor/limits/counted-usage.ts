import { countByClasses } from '@longhaul/context/engine';
import { type Message, type TokenUsage, ZERO_USAGE } from '@longhaul/protocol';

/** The tokens of a model call as this process estimates them. */
export interface StepEstimate {
  inputTokens: number;
  outputTokens: number;
}

/** Below this share of the estimate, a reported number is not credible: before it is measured, a text may have half. */
const CREDIBLE_SHARE = 0.5;

/**
 * Returns the usage of a model call that counts for the limits of a run: as reported, or as estimated if the server
 * reported nothing, or less than can be true. A server must not switch the limits off.
 */
export function countedUsage(reported: TokenUsage | undefined, estimate: StepEstimate): TokenUsage {
  const usage = reported ?? ZERO_USAGE;
  const isInputCredible = usage.inputTokens >= estimate.inputTokens * CREDIBLE_SHARE;
  const isOutputCredible = usage.outputTokens >= estimate.outputTokens * CREDIBLE_SHARE;
  const inputTokens = isInputCredible ? usage.inputTokens : estimate.inputTokens;
  const outputTokens = isOutputCredible ? usage.outputTokens : estimate.outputTokens;
  return { ...usage, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

/** Returns the estimated tokens of an answer: its text, its reasoning and its calls. */
export function answerTokens(message: Message | undefined, ratio: number): number {
  const texts = message?.parts.map((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return part.text;
    return part.type === 'tool' ? part.name + JSON.stringify(part.input) : '';
  });
  return Math.ceil((texts ?? []).reduce((sum, text) => sum + countByClasses(text), 0) * ratio);
}
