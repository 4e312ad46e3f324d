export {
  describeModelDriver,
  type ModelAnswer,
  type ModelAnswerKind,
  type ModelDriverHarness,
} from './model-driver-contract.ts';
