/**
 * Writes, cleans and cuts the outputs of tools.
 *
 * An output can be cut in three places, for three reasons:
 *
 * - While a command runs, `OutputCollector` of `@longhaul/tools` bounds memory. It keeps the beginning and the end of
 *   each stream, and streams the whole to the blob store once the output is longer than the model will see.
 * - Before a result is stored, `fitResult` of the executor bounds the part in the log. It applies the limit of the
 *   tool to every result, and stores the whole text as a blob unless the tool has done so. Both use `keepHeadAndTail`;
 *   the part's handle reads what they leave out.
 * - When a request is built, the view of `@longhaul/context` bounds the request. Marks hide stored outputs: pruning
 *   replaces one by a placeholder, a cut mark shows its two ends (`cutMiddle`). The log stays as it is, and the mark
 *   can be undone.
 *
 * Every cut names a handle for `recall`, unless the whole could not be kept. `truncateToolOutput` is the second cut as
 * a pure function.
 */
export { describeBackgroundEnd } from './describe-background-end.ts';
export { describeMerge } from './describe-merge.ts';
export { describeOutcome } from './describe-outcome.ts';
export {
  byteSize,
  compactSize,
  cutLine,
  displayPath,
  groupDigits,
  plural,
  sizeAndLimit,
} from './display.ts';
export {
  binaryNotice,
  createStreamSanitizer,
  looksBinary,
  type StreamSanitizer,
  sanitizeText,
  sanitizeToolResult,
} from './output-sanitizer.ts';
export {
  type CutNotice,
  DEFAULT_MAX_TOOL_OUTPUT_CHARS,
  formatToolOutput,
  keepHeadAndTail,
  TRUNCATION_MARKER,
  type TruncatedOutput,
  type TruncateOptions,
  truncateToolOutput,
} from './tool-output-truncator.ts';
export { readControls, showControls } from './visible-controls.ts';
