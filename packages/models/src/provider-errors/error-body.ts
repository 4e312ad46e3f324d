import { countAt, isRecord, textAt } from '../fetch-json.ts';

/** The content of a provider's error, in one shape. */
export interface ErrorBody {
  /**
   * Types and codes in lower case: `context_length_exceeded`, `invalid_request_error`, `resource_exhausted`, `1261`.
   */
  codes: ReadonlySet<string>;
  /** The texts of the error, cut. */
  text: string;
  /** The body itself, if it has no text that is known as such, and is not a page. Empty otherwise. */
  unread: string;
  /** From llama.cpp's own fields. */
  windowTokens?: number;
  requestTokens?: number;
  /** Google's RetryInfo: `13s`. */
  retryDelay?: string;
  /** The field of the request that OpenAI names: `messages.[3].content.[1].image_url`. */
  param?: string;
  isHtml: boolean;
  isEmpty: boolean;
}

/**
 * Longer than every known message. The rest of a longer one is a dump of the request, which must not decide anything.
 */
const MAX_TEXT = 1500;
const MAX_PARSED = 200_000;

/**
 * Reads OpenAI's `{error: {message, type, code}}`, Anthropic's `{type: 'error', error: {type, message}}`, Google's
 * `[{error: {status, details}}]`, Ollama's and LM Studio's `{error: 'text'}`, vLLM's bare `{message, type, code}`,
 * AWS's `{__type, message}`, FastAPI's `{detail}`, and an SSE event with any of these.
 */
export function readErrorBody(body: string | undefined, message: string | undefined): ErrorBody {
  const raw = (body ?? '').trim();
  const isHtml = /^<(?:!doctype html|html|head|body)\b/i.test(raw);
  const isEmpty = /^(?:|\{\s*\}|\[\s*\]|null|"\s*")$/.test(raw);
  const parsed = isHtml ? undefined : parseJson(raw);
  const facts = new BodyFacts();
  facts.add(parsed, 0);
  const said = facts.texts.length > 0 ? facts.texts : [isHtml || isEmpty || parsed !== undefined ? '' : raw];
  const text = [...said, message ?? ''].filter((line) => line !== '').join('\n');
  return {
    codes: facts.codes,
    text: text.slice(0, MAX_TEXT),
    unread: isEmpty || isHtml || facts.texts.length > 0 || said[0] !== '' ? '' : raw.slice(0, MAX_TEXT),
    ...facts.numbers,
    isHtml,
    isEmpty,
  };
}

function parseJson(raw: string): unknown {
  const data = /^data:\s*(\{.*)$/m.exec(raw.slice(0, MAX_PARSED))?.[1] ?? raw.slice(0, MAX_PARSED);
  if (!/^[[{"]/.test(data)) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

class BodyFacts {
  readonly codes = new Set<string>();
  readonly texts: string[] = [];
  readonly numbers: { windowTokens?: number; requestTokens?: number; retryDelay?: string; param?: string } =
    {};

  /** Reads nested errors up to a fixed depth. Deeper values are only from the caller's own request. */
  add(value: unknown, depth: number): void {
    if (depth > 8) return;
    if (typeof value === 'string') this.addText(value, depth);
    if (Array.isArray(value)) for (const item of value.slice(0, 10)) this.add(item, depth + 1);
    if (!isRecord(value)) return;
    for (const key of ['type', 'code', 'status', 'reason', '__type']) this.addCode(value[key]);
    this.addNumbers(value);
    // FastAPI names the field of the request: `["body", "messages", 2, "content"]`.
    if (Array.isArray(value['loc'])) this.texts.push(value['loc'].join('.'));
    for (const key of ['error', 'message', 'detail', 'details', 'metadata', 'raw', 'msg']) {
      if (Object.hasOwn(value, key)) this.add(value[key], depth + 1);
    }
  }

  private addText(text: string, depth: number): void {
    // OpenRouter and proxies include the upstream's error as text.
    const inner = parseJson(text.trim());
    if (isRecord(inner) || Array.isArray(inner)) this.add(inner, depth + 1);
    else if (text.trim() !== '') this.texts.push(text.trim());
  }

  private addCode(code: unknown): void {
    if (typeof code === 'string' || typeof code === 'number') this.codes.add(String(code).toLowerCase());
  }

  private addNumbers(value: Record<string, unknown>): void {
    this.numbers.windowTokens ??= countAt(value, 'n_ctx');
    this.numbers.requestTokens ??= countAt(value, 'n_prompt_tokens');
    this.numbers.retryDelay ??= textAt(value, 'retryDelay');
    const param = textAt(value, 'param');
    // Some servers send the message there.
    if (param?.includes(' ')) this.texts.push(param);
    else this.numbers.param ??= param;
  }
}
