/**
 * Wire types of OpenAI Chat Completions, limited to the fields that Longhaul reads or writes. Code that passes a body
 * on keeps unknown fields. Source: OpenAI API reference, "Create chat completion".
 */

export interface ChatTextPart {
  type: 'text';
  text: string;
}
export interface ChatImagePart {
  type: 'image_url';
  image_url: { url: string; detail?: string };
}
export interface ChatFilePart {
  type: 'file';
  file: { filename?: string; file_data?: string; file_id?: string };
}
export type ChatContentPart = ChatTextPart | ChatImagePart | ChatFilePart | { type: string };

export interface ChatToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  content?: string | ChatContentPart[] | null;
  name?: string;
  tool_calls?: ChatToolCall[];
  tool_call_id?: string;
  /** Reasoning text. DeepSeek and several local servers send and accept it. */
  reasoning_content?: string;
}

export interface ChatTool {
  type: 'function';
  function: { name: string; description?: string; parameters?: unknown; strict?: boolean | null };
}

export interface ChatCompletionRequest {
  model: string;
  messages: ChatMessage[];
  tools?: ChatTool[];
  tool_choice?: unknown;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  temperature?: number | null;
  [field: string]: unknown;
}

export interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
}

export type ChatFinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface ChatCompletion {
  id: string;
  object: 'chat.completion';
  created: number;
  model: string;
  choices: {
    index: number;
    message: {
      role: 'assistant';
      content: string | null;
      refusal: null;
      tool_calls?: ChatToolCall[];
      reasoning_content?: string;
    };
    logprobs: null;
    finish_reason: ChatFinishReason;
  }[];
  usage: ChatUsage;
}

export interface ChatToolCallDelta {
  index: number;
  id?: string;
  type?: 'function';
  function?: { name?: string; arguments?: string };
}

export interface ChatCompletionChunk {
  id: string;
  object: 'chat.completion.chunk';
  created: number;
  model: string;
  choices: {
    index: number;
    delta: {
      role?: 'assistant';
      content?: string | null;
      reasoning_content?: string;
      tool_calls?: ChatToolCallDelta[];
    };
    logprobs: null;
    finish_reason: ChatFinishReason | null;
  }[];
  usage?: ChatUsage | null;
}

export interface ChatErrorBody {
  error: { message: string; type: string; param: string | null; code: string | null };
}

/** Open WebUI's tasks start with this heading or contain this tag. */
const TASK = /^\s*### Task:|<chat_history>/;

/** Whether a message is a request of a front-end outside the conversation: for a title, tags or suggested questions. */
export function isFrontEndTask(text: string): boolean {
  return TASK.test(text);
}
