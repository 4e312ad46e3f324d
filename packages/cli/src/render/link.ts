/** A target without characters that could end the sequence, or that programs do not expect in one. */
const TARGET = /^(?:https?|file):\/\/[-\w/#&.:=?%~]+$/;
const OPEN = '\u001b]8;';
const END = '\u001b\\';
const CLOSE = `${OPEN};${END}`;
/** The beginning and the end of a link, with its id and target. */
export const LINK = `\\u001b\\]8;(?:id=([\\da-f]+))?;([-\\w/#&.:=?%~]*)\\u001b\\\\`;

/** No text of a model or a file knows it, so that none can contain a link. */
let ownId: string | undefined;

/** Whether a text can be made a link to this target. */
export function isLinkable(target: string): boolean {
  return TARGET.test(target);
}

/**
 * Makes a text a link (OSC 8). The caller passes only a text that names its target: a person sees where they go.
 *
 * @param target Must be linkable.
 */
export function link(text: string, target: string): string {
  // Loaded here: every command imports this file, and few make a link.
  ownId ??= process.getBuiltinModule('node:crypto').randomBytes(8).toString('hex');
  return `${OPEN}id=${ownId};${target}${END}${text}${CLOSE}`;
}

/** Whether a found `LINK` is of this process. The end of a link is always allowed: it does nothing else. */
export function isOwnLink(id: string | undefined, target: string): boolean {
  return id === undefined ? target === '' : id === ownId && isLinkable(target);
}
