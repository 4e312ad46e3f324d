import { LonghaulError, shownModel, type UserMessageContentPart } from '@longhaul/protocol';
import type { ModelInfo } from '../../ports/index.ts';

type Accepting = Pick<ModelInfo, 'provider' | 'model' | 'accepts'>;

/** Whether a message has images or files. */
export function hasMedia(content: readonly UserMessageContentPart[]): boolean {
  return content.some(({ type }) => type !== 'text');
}

/**
 * Refuses images and files that the model does not take: it would get a line of text in their place.
 *
 * @throws {LonghaulError} `input_unsupported`
 */
export function requireAccepted(
  content: readonly UserMessageContentPart[],
  { provider, model, accepts }: Accepting,
): void {
  for (const part of content) {
    if (part.type === 'text' || (part.type === 'image' ? accepts.images : accepts.files)) continue;
    const [what, key] = part.type === 'image' ? ['images', 'images'] : [filesOf(part.mediaType), 'files'];
    throw new LonghaulError(
      'input_unsupported',
      `${shownModel(`${provider}/${model}`)} does not accept ${what}, according to its server and the catalogue. Use another model, or set providers.${provider}.accepts: { ${key}: true } if it accepts them.`,
      { data: { provider, model } },
    );
  }
}

function filesOf(mediaType: string): string {
  return mediaType === 'application/pdf' ? 'PDF files' : `files of the type ${mediaType}`;
}
