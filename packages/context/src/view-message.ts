import type {
  FileContent,
  ImageContent,
  JsonValue,
  ProviderMetadata,
  TextContent,
  ToolOutputContent,
} from '@longhaul/protocol';

/** A message to the model, before the provider's own form. A tool call and its result are one part here too. */
export type ViewMessage = ViewUserMessage | ViewAssistantMessage;

export interface ViewUserMessage {
  role: 'user';
  /** The runtime wrote it. It does not begin a turn. */
  synthetic?: true;
  content: (TextContent | ImageContent | FileContent)[];
}

export interface ViewAssistantMessage {
  role: 'assistant';
  content: ViewAssistantPart[];
  /** The `provider/model` that wrote it. Provider metadata only goes back to that model. */
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
