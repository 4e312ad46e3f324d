import type {
  FinishReason,
  JsonObject,
  MessageMetadata,
  MessageStatus,
  ProviderMetadata,
  TokenUsage,
  ToolOutputContent,
} from '@longhaul/protocol';

/** What an importer says of a step. All but `key` may come in later rows too. */
export interface StepFacts {
  createdAt?: number | undefined;
  model?: string | undefined;
  usage?: TokenUsage | undefined;
  finishReason?: FinishReason | undefined;
  cost?: number | undefined;
  status?: MessageStatus | undefined;
}

export interface CallFacts {
  name: string;
  input: JsonObject;
  inputText?: string | undefined;
  title?: string | undefined;
  metadata?: JsonObject | undefined;
  startedAt?: number | undefined;
  providerMetadata?: ProviderMetadata | undefined;
}

export interface ResultFacts {
  output: ToolOutputContent[];
  isError?: boolean | undefined;
  title?: string | undefined;
  metadata?: JsonObject | undefined;
  endedAt?: number | undefined;
}

export interface UserFacts {
  createdAt?: number | undefined;
  /** Text that the agent's runtime put there, not the user: kept as a notice that the model sees. */
  isInjected?: boolean;
  metadata?: MessageMetadata;
}

/** The fields that are there. */
export function present<T extends object>(fields: T): Partial<T> {
  const found: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) found[key] = fields[key];
  return found;
}
