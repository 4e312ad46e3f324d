import { estimateTokens, textOfOutput } from '@longhaul/context';
import type { Part } from '@longhaul/protocol';

/** A rough size for listings; what a request will cost is measured on the view. */
export function storedTokens(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => sum + estimateTokens(textOfPart(part)), 0);
}

function textOfPart(part: Part): string {
  if (part.type === 'file') return part.filename ?? part.mediaType;
  if (part.type !== 'tool') return part.text;
  return `${part.name}${JSON.stringify(part.input)}${textOfOutput(part.output ?? [])}${part.error ?? ''}`;
}
