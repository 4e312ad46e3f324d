import type {
  FileContent,
  ImageContent,
  JsonValue,
  ProviderMetadata,
  TextContent,
  ToolOutputContent,
} from '@longhaul/protocol';

/** What the model is sent, before any provider's own form. A tool call and its result are one part here too. */
export type ViewMessage = ViewUserMessage | ViewAssistantMessage;

export interface ViewUserMessage {
  role: 'user';
  content: (TextContent | ImageContent | FileContent)[];
}

export interface ViewAssistantMessage {
  role: 'assistant';
  content: ViewAssistantPart[];
  /** `provider/model` that wrote it; provider metadata goes back to that one only. */
  model?: string;
}

export type ViewAssistantPart =
  | { type: 'text'; text: string; providerMetadata?: ProviderMetadata }
  | { type: 'reasoning'; text: string; providerMetadata?: ProviderMetadata }
  | {
      type: 'tool';
      callId: string;
      name: string;
      input: JsonValue;
      output: ToolOutputContent[];
      isError: boolean;
      providerMetadata?: ProviderMetadata;
    };
