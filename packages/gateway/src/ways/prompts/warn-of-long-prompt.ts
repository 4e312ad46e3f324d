import { dueInputTokens } from '../../compaction/output-room.ts';
import type { GatewayCore } from '../../gateway-core.ts';
import type { Route } from '../../upstream/router.ts';
import type { KnownWindow } from '../../upstream/window-book.ts';
import type { Prompt } from './read-prompt.ts';

/** Counts a prompt, and warns once for each model if it takes so much of the window that a chat would be compacted. */
export async function warnOfLongPrompt(
  core: GatewayCore,
  { prompt, route, window }: { prompt: Prompt; route: Route; window: KnownWindow | undefined },
): Promise<void> {
  const about = { upstream: route.upstream.name, model: route.model };
  const tokens = prompt.tokens + (await core.countText(route.model, prompt.text));
  core.stats.of(about.upstream, about.model).lastTokens = tokens;
  if (window === undefined || tokens < dueInputTokens(window.windowTokens, core.live.inputThreshold)) return;
  const kind = `Long prompts to ${about.model}: only a conversation can be compacted`;
  if (!core.stats.noteUnhelped(kind)) return;
  const message = `A prompt takes ${tokens} of the ${window.windowTokens} tokens of the window. The gateway cannot shorten it, because it is one text. Send a conversation to /v1/chat/completions, or a shorter prompt.`;
  core.log({ level: 'warn', code: 'context_overflow', message, ...about });
}
