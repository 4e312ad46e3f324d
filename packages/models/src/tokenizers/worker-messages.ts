import type { TokenFamily } from './token-family.ts';
import type { VocabularyData } from './vocabulary.ts';

/** What a worker is started with: it reads a vocabulary and hands it over, or keeps it and counts. */
export interface TokenizerWorkerData {
  task: 'read' | 'count';
  family: TokenFamily;
}

/** Answer to the task `read`: the vocabulary, or none when it could not be read. */
export interface VocabularyMessage {
  data: VocabularyData | undefined;
}

/** First message of the task `count`. */
export interface ReadyMessage {
  type: 'ready';
  exact: boolean;
  missingPackage?: string;
}

export interface CountRequest {
  id: number;
  text: string;
}

export interface CountAnswer {
  type: 'count';
  id: number;
  tokens: number;
}
