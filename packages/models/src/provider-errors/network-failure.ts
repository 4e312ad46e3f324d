import { isRecord } from '../fetch-json.ts';

export type NetworkFailure = {
  kind: 'unreachable' | 'timeout' | 'cut' | 'blocked' | 'redirects';
  code: string;
};

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ECONNABORTED',
  'ERR_INVALID_URL',
  'ConnectionRefused',
  'FailedToOpenSocket',
]);
const TIMEOUT = new Set([
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'TimeoutError',
]);
/**
 * Before an answer, these codes mean that the server cannot be reached. After its start, they mean that the connection
 * was closed.
 */
const RESET = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ConnectionClosed']);

/** Returns the failure below HTTP, from the codes in a chain of causes. Undefined if there is none. */
export function readNetworkFailure(cause: unknown, hasAnswer: boolean): NetworkFailure | undefined {
  const codes = causeCodes(cause);
  for (const code of codes) {
    if (code === BAD_PORT) return { kind: 'blocked', code };
    if (REDIRECTS.has(code)) return { kind: 'redirects', code };
    if (TIMEOUT.has(code)) return { kind: 'timeout', code };
    if (UNREACHABLE.has(code) || /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_(?:TLS|SSL)/.test(code)) {
      return { kind: 'unreachable', code };
    }
    if (RESET.has(code)) return { kind: hasAnswer ? 'cut' : 'unreachable', code };
  }
  // `fetch` itself failed without a code, for example for a malformed address.
  return codes.includes(FETCH_FAILED) ? { kind: 'unreachable', code: FETCH_FAILED } : undefined;
}

const FETCH_FAILED = 'fetch failed';
/** Source: https://fetch.spec.whatwg.org/#port-blocking */
const BAD_PORT = 'bad port';
/** Node's messages and Bun's code. */
const REDIRECTS = new Set(['redirect count exceeded', 'TooManyRedirects']);

/** Node, undici, Bun and the AI SDK wrap errors in one another. The innermost error has the reason. */
function causeCodes(cause: unknown): string[] {
  const codes: string[] = [];
  let layer: unknown[] = [cause];
  for (let depth = 0; depth < 6 && layer.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const error of layer) {
      if (!isRecord(error)) continue;
      for (const key of ['code', 'name']) if (typeof error[key] === 'string') codes.push(error[key]);
      const sign = error['name'] === 'TypeError' ? FETCH_MESSAGES.get(String(error['message'])) : undefined;
      if (sign) codes.push(sign);
      const { message } = error;
      if (typeof message === 'string' && (message === BAD_PORT || REDIRECTS.has(message)))
        codes.push(message);
      next.push(
        error['cause'],
        error['lastError'],
        ...(Array.isArray(error['errors']) ? error['errors'] : []),
      );
    }
    layer = next.slice(0, 20);
  }
  return codes;
}

/** Failures that undici only reports as text: a body that ended too early, and a request that could not be made. */
const FETCH_MESSAGES: ReadonlyMap<string, string> = new Map([
  ['terminated', 'UND_ERR_SOCKET'],
  ['fetch failed', FETCH_FAILED],
]);
