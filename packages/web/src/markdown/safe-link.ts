/**
 * Returns the address that a link of a model may have. Undefined for everything else: programs (`javascript:`), data,
 * files, and addresses relative to this page.
 */
export function safeLink(href: string): string | undefined {
  const trimmed = href.trim();
  if (!/^(?:https?:\/\/|mailto:)/i.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  const { protocol, href: whole } = new URL(trimmed);
  return protocol === 'http:' || protocol === 'https:' || protocol === 'mailto:' ? whole : undefined;
}
