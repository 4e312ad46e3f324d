import type {
  FileContent,
  ImageContent,
  JsonValue,
  OpaqueSummary,
  ProviderMetadata,
  TextContent,
  ToolOutputContent,
} from '@longhaul/protocol';

/** A message to the model, before the provider's own form. A tool call and its result are one part here too. */
export type ViewMessage = ViewUserMessage | ViewAssistantMessage;

/** A message of the user, or one that the runtime wrote. */
export interface ViewUserMessage {
  role: 'user';
  /** The runtime wrote it. It does not begin a turn. */
  synthetic?: true;
  content: (ViewText | ImageContent | FileContent)[];
}

/** A text of a message. */
export interface ViewText extends TextContent {
  /** For a summary: what the provider made of the same messages. Sent in place of the text where that is possible. */
  opaque?: ViewOpaqueSummary;
}

/** An answer of the model, with the results of its calls. */
export interface ViewAssistantMessage {
  role: 'assistant';
  content: ViewAssistantPart[];
  /** The `provider/model` that wrote it. Provider metadata only goes back to that model. */
  model?: string;
}

export interface ViewOpaqueSummary extends OpaqueSummary {
  /** The content of the blob. Absent until it is loaded. */
  items?: JsonValue[];
  /** The part of the text that is sent even so: what the model keeps word for word. */
  verbatim?: string;
}

/** A text, reasoning or a call with its result. */
export type ViewAssistantPart =
  | {
      type: 'text';
      text: string;
      providerMetadata?: ProviderMetadata;
      /**
       * For a summary: what the provider made of the same messages. Sent in place of the text where that is possible.
       */
      opaque?: ViewOpaqueSummary;
    }
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
