import { LonghaulError } from '@longhaul/protocol';
import type { GatewayCore } from '../gateway-core.ts';
import { windowSetting } from '../status/gateway-stats.ts';
import type { Route } from '../upstream/router.ts';
import type { KnownWindow } from '../upstream/window-book.ts';
import type { TurnRequest } from './turn-request.ts';

/** Smaller bodies fit into any window that a server loads. */
const SMALL_BODY_BYTES = 8_000;

export interface TurnToSize {
  chat: Pick<TurnRequest, 'plain' | 'windowTokens'>;
  route: Route;
  signal: AbortSignal;
}

/**
 * Returns the window for a request. May wait until the server has loaded the model.
 *
 * @throws {LonghaulError} `window_unknown` if the upstream requires compaction.
 */
export async function windowForTurn(
  core: GatewayCore,
  { chat, route: { upstream, model }, signal }: TurnToSize,
): Promise<KnownWindow | undefined> {
  const asked = windowAskedFor(chat);
  if (asked !== undefined) return asked;
  const known = await core.windows.windowOf(upstream, model);
  const isRequired = upstream.requiresWindow;
  if (known !== undefined || (chat.plain.length < SMALL_BODY_BYTES && !isRequired)) return known;
  const loaded = await core.windows.windowOnceLoaded(upstream, model, signal);
  if (loaded === undefined && isRequired) throw limitMissing(upstream.name, model);
  return loaded;
}

/**
 * Checks a request that is passed on unchanged.
 *
 * @throws {LonghaulError} `window_unknown` if the upstream requires compaction and the window is unknown.
 */
export async function checkWindow(core: GatewayCore, turn: TurnToSize): Promise<void> {
  if (turn.route.upstream.requiresWindow) await windowForTurn(core, turn);
}

function limitMissing(upstream: string, model: string): LonghaulError {
  const setting = windowSetting(upstream, model);
  return new LonghaulError(
    'window_unknown',
    `Context limit not available for ${model}. Please ensure model metadata is correct. The server reports no context length, or has not loaded the model. Load the model, or set ${setting} in longhaul.yml. To pass such requests on unchanged, remove compaction: required.`,
  );
}

/** Returns the window that the request itself names. Ollama loads the model with it. */
export function windowAskedFor({ windowTokens }: Pick<TurnRequest, 'windowTokens'>): KnownWindow | undefined {
  return windowTokens === undefined ? undefined : { windowTokens, source: 'the request' };
}

/** Returns what to warn of before a request whose window is unknown is sent unchanged. */
export function unknownWindowWarning({ upstream, model }: { upstream: string; model: string }): string {
  return `The window of ${model} at ${upstream} is unknown, so its requests are sent unchanged. Set ${windowSetting(upstream, model)}.`;
}
