import type { CallIdForm } from './wire-profile.ts';

const WORD = /^[a-zA-Z0-9_-]{1,64}$/;
const NINE = /^[a-zA-Z0-9]{9}$/;

/**
 * Creates a function that gives each call of a request a unique id in the form that the server requires.
 *
 * The same calls in the same order get the same ids, so that the beginning of a request stays the same and the
 * provider's cache applies.
 */
export function createCallIds(form: CallIdForm): (callId: string) => string {
  const used = new Set<string>();
  return (callId) => {
    let candidate = conform(callId, form);
    for (let attempt = 2; used.has(candidate); attempt += 1) candidate = again(callId, attempt, form);
    used.add(candidate);
    return candidate;
  };
}

function conform(callId: string, form: CallIdForm): string {
  if (form === 'nine') return NINE.test(callId) ? callId : hashOf(callId);
  if (form === 'any') return callId === '' ? 'call' : callId;
  if (WORD.test(callId)) return callId;
  const cleaned = callId.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 54);
  return `${cleaned}_${hashOf(callId)}`;
}

function again(callId: string, attempt: number, form: CallIdForm): string {
  if (form === 'nine') return hashOf(`${callId}#${attempt}`);
  return `${conform(callId, form).slice(0, 56)}-${attempt}`;
}

/** Returns nine letters or digits: FNV-1a of the text, twice with different seeds. Not for secrets. */
function hashOf(text: string): string {
  const halves = [0x811c9dc5, 0x9e3779b9].map((seed) => {
    let hash = seed;
    for (let index = 0; index < text.length; index += 1) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
    }
    return hash.toString(36).padStart(7, '0');
  });
  return halves.join('').slice(-9);
}
