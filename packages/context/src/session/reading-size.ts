import { LonghaulError, type ToolOutputContent } from '@longhaul/protocol';
import type { Media, MediaCounter } from '../media/count-media.ts';
import type { CountedSize } from '../ratio-learner.ts';
import { MESSAGE_OVERHEAD_TOKENS, type TokenCounter } from '../tokens.ts';
import type { MediaPart, MessageReading } from './message-format.ts';

export interface SizeCounters {
  count: TokenCounter;
  countMedia: MediaCounter;
}

/** Counts one of the caller's messages as it is sent: its texts, calls, results and media, and the overhead of each. */
export function readingSize(reading: MessageReading, counters: SizeCounters): CountedSize {
  const size = new SizeSum(counters);
  if (reading.role === 'system') {
    size.addOverhead();
    size.addText(reading.text);
  } else if (reading.role === 'tool') {
    for (const { output } of reading.results) {
      size.addOverhead();
      for (const content of output) size.addContent(content);
    }
  } else {
    size.addOverhead();
    for (const part of reading.parts) {
      if (part.type === 'tool') {
        size.addOverhead();
        size.addText(part.name);
        size.addText(JSON.stringify(part.input));
      } else if (part.type === 'file') size.addContent(part);
      else if (part.type !== 'patch') size.addText(part.text);
    }
  }
  return { text: size.text, media: size.media };
}

class SizeSum {
  text = 0;
  media = 0;
  readonly #counters: SizeCounters;

  constructor(counters: SizeCounters) {
    this.#counters = counters;
  }

  addOverhead(): void {
    this.text += MESSAGE_OVERHEAD_TOKENS;
  }

  addText(text: string): void {
    this.text += this.#counters.count(text);
  }

  addContent(content: ToolOutputContent | MediaPart): void {
    if (content.type === 'text') this.addText(content.text);
    else this.media += validTokens(this.#counters.countMedia(mediaOf(content)));
  }
}

function mediaOf(content: Exclude<ToolOutputContent, { type: 'text' }> | MediaPart): Media {
  if ('media' in content && content.media !== undefined) return content.media;
  const mediaType = content.mediaType ?? 'image/*';
  return content.data === '' ? { mediaType } : { mediaType, data: content.data };
}

/** NaN would make every comparison false, so that no request would ever be too large. */
function validTokens(tokens: number): number {
  if (Number.isFinite(tokens) && tokens >= 0) return tokens;
  throw new LonghaulError(
    'invalid_request',
    `countMedia must return a number of tokens that is at least 0, but returned ${tokens}.`,
  );
}
