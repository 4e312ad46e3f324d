import type { TokenFamily } from './token-family.ts';
import type { VocabularyData } from './vocabulary.ts';

/** The input of a worker. It reads a vocabulary and transfers it, or keeps it and counts. */
export interface TokenizerWorkerData {
  task: 'read' | 'count';
  family: TokenFamily;
}

/** The answer to the task `read`: the vocabulary, or nothing if it could not be read. */
export interface VocabularyMessage {
  data: VocabularyData | undefined;
}

/** The first message of the task `count`. */
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
