import type {
  FinishReason,
  JsonObject,
  MessageMetadata,
  MessageStatus,
  ProviderMetadata,
  TokenUsage,
  ToolOutputContent,
} from '@longhaul/protocol';

/** Facts of a step. They can also come in later rows of the step. */
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
  /** True for text from the agent's runtime instead of the user. It becomes a notice that the model sees. */
  isInjected?: boolean;
  metadata?: MessageMetadata;
}

/** Returns the fields that are not undefined. */
export function present<T extends object>(fields: T): Partial<T> {
  const found: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) found[key] = fields[key];
  return found;
}
