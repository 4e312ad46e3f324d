import type { ChatCompletionRequest } from '@longhaul/protocol';
import { type JournalLine, toChatRequest } from '@longhaul/scripted-model';

/** A request as the model server received it, and its outcome. */
export interface ModelRequest {
  number: number;
  at: number;
  /** In the form of Chat Completions. Undefined if the body is not valid JSON, because the client was killed while sending it. */
  body: ChatCompletionRequest | undefined;
  outcome?: string;
  status?: number;
  fault?: string;
}

export function requestsOf(journal: readonly JournalLine[]): ModelRequest[] {
  const requests = new Map<number, ModelRequest>();
  for (const line of journal) {
    if (line.type === 'request') {
      requests.set(line.number, { number: line.number, at: line.at, body: parse(line) });
    } else if (line.type === 'end') {
      const request = requests.get(line.number);
      if (request === undefined) continue;
      const { outcome, status, fault } = line;
      Object.assign(request, { outcome, status, ...(fault === undefined ? {} : { fault }) });
    }
  }
  return [...requests.values()];
}

function parse({ path, body }: Extract<JournalLine, { type: 'request' }>): ChatCompletionRequest | undefined {
  try {
    return toChatRequest(path, JSON.parse(body));
  } catch {
    return undefined;
  }
}
