import { type FetchJsonOptions, fetchJson, isRecord } from './fetch-json.ts';
import { adviceWithoutTools } from './provider-errors/tool-refusal.ts';
import { readOllamaModel, type ServerKind } from './server-models.ts';

export interface ToolSupportOptions extends Omit<FetchJsonOptions, 'body' | 'timeoutMs'> {
  kind: ServerKind;
  /** With or without `/v1`. */
  baseUrl: string;
  model: string;
  /** Default 1500. */
  timeoutMs?: number;
}

export type ToolSupport =
  | { supported: true }
  /** `advice` is what the user can do. */
  | { supported: false; advice: string }
  /** The server does not report it, or does not answer. The first request will show it. */
  | { supported: 'unknown' };

/**
 * Returns whether a local server's model can call tools, from the server's own information. No model is called. Never
 * throws.
 *
 * Ollama lists capabilities, and refuses tools without that capability. llama.cpp reports what the chat template
 * supports. LM Studio gives tools to every model, and vLLM reports nothing before a request.
 */
export async function validateToolSupport(options: ToolSupportOptions): Promise<ToolSupport> {
  const { kind, baseUrl, model, timeoutMs = 1500 } = options;
  const root = baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  if (kind === 'ollama') {
    const { capabilities } = await readOllamaModel(baseUrl, model, { ...options, timeoutMs });
    return capabilities === undefined ? UNKNOWN : verdict(capabilities.includes('tools'), kind);
  }
  if (kind === 'llamacpp') {
    const props = await fetchJson(`${root}/props`, { ...options, timeoutMs });
    const caps = isRecord(props) ? props['chat_template_caps'] : undefined;
    const says = isRecord(caps) ? caps['supports_tools'] : undefined;
    return typeof says === 'boolean' && says ? verdict(true, kind) : UNKNOWN;
  }
  return UNKNOWN;
}

const UNKNOWN: ToolSupport = { supported: 'unknown' };

function verdict(supported: boolean, kind: ServerKind): ToolSupport {
  return supported ? { supported } : { supported, advice: adviceWithoutTools('', kind) };
}
