export {
  connectEmbeddedModel,
  type EmbeddedModel,
  type EmbeddedModelOptions,
} from './client/embedded-model.ts';
export type { ModelFacts } from './client/model-facts.ts';
export { CODER_MODELS, type CoderModel, fittingModel, neededBytes } from './files/coder-models.ts';
export { type FindModelOptions, findModelFile } from './files/find-model-file.ts';
export { type PulledModel, pulledModels, removeModel } from './files/model-folder.ts';
export { type Pulled, type PullOptions, pullModel } from './files/pull-model.ts';
