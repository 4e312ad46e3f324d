export type {
  ViewAssistantMessage,
  ViewAssistantPart,
  ViewMessage,
  ViewUserMessage,
} from './view-message.ts';
