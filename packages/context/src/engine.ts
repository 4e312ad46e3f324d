/** The parts of the engine, for a program that has its own log of messages. */

export {
  availableTokens,
  type Budget,
  type BudgetOptions,
  computeBudget,
  DEFAULT_LEDGER_SHARE,
  isOverflow,
  ledgerTokens,
  MIN_OUTPUT_ROOM_TOKENS,
  OUTPUT_RESERVE,
  OUTPUT_TOKEN_MAX,
  outputRoom,
  SAFETY_BUFFER,
  SYSTEM_RESERVE,
  type Trigger,
  triggerTokens,
} from './budget.ts';
export { compact } from './compact.ts';
export { measureKeptFacts } from './compaction/ledger-room.ts';
export type { CompactOptions, CompactOutcome } from './compaction/options.ts';
export { type CutResult, cutMiddle } from './cut-middle.ts';
export {
  type ContextPolicy,
  type ContextState,
  decidePruning,
  decideRequest,
  dueTokens,
  type FittedRequest,
  nextDue,
  type RequestDecision,
} from './decide.ts';
export { attemptsAfterRefusal, type ContentRefusal, type OmitTarget } from './leave-out.ts';
export { argumentText } from './ledger/argument-text.ts';
export { backgroundOf, endedInBackground } from './ledger/background-facts.ts';
export { ledgerFoldFromJson, ledgerFoldToJson } from './ledger/fold-json.ts';
export { buildLedger, type LedgerOptions } from './ledger/ledger.ts';
export { createLedgerFold, type LedgerFold } from './ledger/ledger-facts.ts';
export { foldMessage } from './ledger/ledger-fold.ts';
export { createLedgerKeeper, type LedgerKeeper, type LedgerStart } from './ledger/ledger-keeper.ts';
export { pathsChanged } from './ledger/paths-changed.ts';
export {
  createLiveTest,
  headOf,
  isOnPath,
  type LiveRange,
  liveMarks,
  livePath,
  revertedRanges,
} from './live-path.ts';
export {
  type ActiveMarks,
  activeMarks,
  type ContextLog,
  countHidden,
  firstUserMessage,
  isNewestCompactionUndone,
  isUserMessage,
  liveLog,
  partKey,
} from './log.ts';
export { countAnyMedia, countMediaOf, type Media, type MediaCounter } from './media/count-media.ts';
export { base64Bytes, type FileToCount, fileTokens } from './media/file-tokens.ts';
export { type ImageSize, imageSizeOf } from './media/image-size.ts';
export {
  ASSUMED_IMAGE_SIZE,
  type ImageDetail,
  type ImageRule,
  imageRuleOf,
  imageTokens,
} from './media/image-tokens.ts';
export {
  type NarrativeAsk,
  type NarrativeFacts,
  type NarrativeForm,
  type ProviderSummaryReply,
  type ProviderSummaryRequest,
  SUMMARY_INSTRUCTION,
  type Summarise,
  type SummariseByProvider,
  type SummaryReply,
  type SummaryRequest,
} from './narrative.ts';
export { outlineOf } from './outline.ts';
export { plainLine } from './plain-line.ts';
export {
  PRUNE_MINIMUM,
  PRUNE_PROTECT,
  type PruneOptions,
  type PruneResult,
  pruneOldToolOutputs,
} from './prune.ts';
export type { CountedSize } from './ratio-learner.ts';
export {
  type PredictedRequest,
  type RefusalAssumption,
  RefusalsWithoutSizes,
} from './refusals-without-sizes.ts';
export { createRequestMeter, type RequestMeter, viewMessageTokens } from './request-size.ts';
export { AFTER_RESULTS_TEXT, joinTexts, type StrictRolesOptions, toStrictRoles } from './roles.ts';
export {
  type Select,
  type SelectMessage,
  type SelectRequest,
  selectionPrompt,
  selectWith,
} from './selection/select.ts';
export { MessageLog } from './session/message-log.ts';
export {
  RECALL_FOLD_CHARS,
  RECALL_MAX_CHARS,
  type RecallPage,
  type RecallPageOptions,
  recallPage,
} from './session/recall-page.ts';
export { sessionSummary } from './session-summary.ts';
export {
  type PlacedPatch,
  precedes,
  type RecordedTrees,
  treeAfter,
  treeBefore,
  treesOf,
} from './session-trees.ts';
export { type RefusedSizes, shorterAnswer } from './shorter-answer.ts';
export { type StrategyFromModule, strategyFromModule } from './strategies/from-module.ts';
export { messageCosts, newestMessages, planKeeping, type TailLimits } from './strategies/keep.ts';
export { type MiddleRemovalOptions, MiddleRemovalStrategy } from './strategies/middle-removal.ts';
export {
  type ProactiveThresholdOptions,
  ProactiveThresholdStrategy,
} from './strategies/proactive-threshold.ts';
export { type PruningAgentOptions, PruningAgentStrategy } from './strategies/pruning-agent.ts';
export { type ReactiveOverflowOptions, ReactiveOverflowStrategy } from './strategies/reactive-overflow.ts';
export { createStrategy, type StrategyOptions } from './strategies/registry.ts';
export { isStrategyName, STRATEGY_NAMES, type StrategyName } from './strategies/strategy-names.ts';
export {
  COMPACTION_THRESHOLD_PERCENT,
  RECENT_MESSAGES_TO_KEEP,
  type StructuredSummaryOptions,
  StructuredSummaryStrategy,
} from './strategies/structured-summary.ts';
export {
  type CancelSignal,
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  type PlanInput,
} from './strategy.ts';
export { CONTINUATION, renderSummary } from './summary-message.ts';
export { endBefore, startAfter } from './surrogates.ts';
export {
  countByClasses,
  estimateTokens,
  IMAGE_TOKENS,
  MESSAGE_OVERHEAD_TOKENS,
  memoizeCounter,
  REPLY_PRIMING_TOKENS,
  type TokenCounter,
} from './tokens.ts';
export { buildView, INTERRUPTED_RESULT, PRUNED_PREFIX, textOfOutput, type ViewEntry } from './view.ts';
export { createViewKeeper, type ViewKeeper } from './view-keeper.ts';
export type {
  ViewAssistantMessage,
  ViewAssistantPart,
  ViewMessage,
  ViewText,
  ViewUserMessage,
} from './view-message.ts';
export { type ContextShares, contextShares } from './view-shares.ts';
