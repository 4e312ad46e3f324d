import type { LonghaulError } from '@longhaul/protocol';
import { chatErrorBody } from '../http/send-error.ts';
import { MESSAGES } from './messages.ts';
import { OLLAMA_CHAT } from './ollama-chat.ts';

/** Returns how clients of a path expect an error. */
export function errorFormOf(url = '/'): (error: LonghaulError) => object {
  if (url.startsWith('/api/')) return OLLAMA_CHAT.errorBody;
  return url.startsWith(MESSAGES.path) ? MESSAGES.errorBody : chatErrorBody;
}
