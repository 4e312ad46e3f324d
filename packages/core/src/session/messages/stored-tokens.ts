import { estimateTokens, textOfOutput } from '@longhaul/context/engine';
import type { Part } from '@longhaul/protocol';

/** Estimates the size of a message for listings. Requests are measured on the view instead. */
export function storedTokens(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + estimateTokens(textOfPart(part)), 0);
}

function textOfPart(part: Part): string {
  if (part.type === 'file') return part.filename ?? part.mediaType;
  if (part.type === 'patch') return '';
  if (part.type !== 'tool') return part.text;
  return `${part.name}${JSON.stringify(part.input)}${textOfOutput(part.output ?? [])}${part.error ?? ''}`;
}
