export {
  ASSUMED_IMAGE_SIZE,
  base64Bytes,
  type FileToCount,
  fileTokens,
  type ImageDetail,
  type ImageRule,
  type ImageSize,
  imageRuleOf,
  imageSizeOf,
  imageTokens,
} from '@longhaul/context/engine';
export { API_KEY_VARIABLES, howToSetKey } from './api-key-variables.ts';
export { MAX_ERROR_BYTES, readWhole } from './bounded-body.ts';
export type { CacheHit, CacheLimits, CacheStore } from './cache-store.ts';
export {
  type CallSettings,
  type LearnedSettings,
  MAX_TOKENS_FIELDS,
  type MaxTokensField,
  REASONING_EFFORTS,
  REASONING_RETURNS,
  type ReasoningEffort,
  type ReasoningReturn,
  type ReasoningSettings,
  type RequestExtras,
} from './call-settings.ts';
export type { CatalogueEntry } from './catalogue/catalogue-entry.ts';
export { catalogueModels, catalogueNames, findModel, findProvidersOf } from './catalogue/find-model.ts';
export { HOSTED_PROVIDERS, hostedProviderAt } from './catalogue/hosted-providers.ts';
export { listedModels } from './catalogue/listed-models.ts';
export { modelReasoning } from './catalogue/model-reasoning.ts';
export { type CheckServerOptions, checkServer } from './check-server.ts';
export { isEmbeddedFile } from './embedded-file.ts';
export { type FetchJsonOptions, fetchJson } from './fetch-json.ts';
export {
  type DetectOptions,
  detectLocalServers,
  type ListServerModelsOptions,
  LOCAL_SERVERS,
  type LocalServer,
  type LocalServerCandidate,
  listServerModels,
} from './local-servers.ts';
export { isLoopback, isLoopbackUrl } from './loopback.ts';
export { mapProviderError } from './provider-errors/map-provider-error.ts';
export { namesFailure } from './provider-errors/named-failure.ts';
export { tooLongRefusal } from './provider-errors/too-long-refusal.ts';
export type { ProviderFailure } from './provider-errors/verdict.ts';
export { isQuoted, QuotationTracker } from './quoted-text.ts';
export { excerptOf, maskSecrets } from './secrets.ts';
export { type FetchTarget, isRedirect, type Redirect, redirected, serverFetch } from './server-fetch.ts';
export type { ServerMemory, SettingsMemory } from './server-memory.ts';
export type { ServerKind, ServerModel } from './server-models.ts';
export {
  type AnswerPiece,
  createThinkingSplitter,
  separateThoughts,
  type ThinkingSplitter,
  withoutThoughts,
} from './thinking.ts';
export { isTokenCount } from './token-count.ts';
export { type CountMessagesOptions, countMessages, messageOverheadOf } from './tokenizers/count-messages.ts';
export { type GptCounter, loadGptCounter } from './tokenizers/gpt.ts';
export { loadTokenizer } from './tokenizers/load-tokenizer.ts';
export { startTokenizerWorker, type WorkerTokenizer } from './tokenizers/start-tokenizer-worker.ts';
export {
  type DetectedFamily,
  detectTokenFamily,
  type TokenFamily,
  tokenFamilyOf,
} from './tokenizers/token-family.ts';
export type { Tokenizer } from './tokenizers/tokenizer.ts';
export { type NameChoice, takeToolName, toToolName } from './tool-name.ts';
export { type ToolSupport, type ToolSupportOptions, validateToolSupport } from './tool-support.ts';
export { costOf, type LongPromptPrice, type TokenPrice } from './usage-cost.ts';
export type { ServedModel, WindowMemory } from './window-memory.ts';
export {
  type ModelReport,
  type ProbeWindowOptions,
  probeModel,
  probeWindow,
  type WindowReport,
} from './window-probe.ts';
