/** How outputs of tools are written, cleaned and cut. For tools; the executor applies the final limit itself. */
export {
  compactSize,
  cutLine,
  displayPath,
  endBefore,
  groupDigits,
  plural,
  startAfter,
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
  cutHead,
  cutTail,
  DEFAULT_MAX_TOOL_OUTPUT_CHARS,
  formatToolOutput,
  joinHeadAndTail,
  TRUNCATION_MARKER,
  type TruncatedOutput,
  type TruncateOptions,
  truncateToolOutput,
} from './tool-output-truncator.ts';
