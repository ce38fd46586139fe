import { convertSession, draftFlow } from './authoring.ts'
import { createChatTurn, createGuidedStep } from './diagnosis.ts'
import { draftDiagram } from './diagrams.ts'
import type { Facts, Turn } from './facts.ts'
import { editFlow } from './flow-edits.ts'
import { createArticleNodes } from './knowledge.ts'
import { writeScript } from './scripts.ts'
import { draftHandoff, writeAssessment, writeSessionOutput, writeStatusUpdate } from './writing.ts'

/** The name of the local model. It shows that no real model has answered. */
export const modelName = 'local-rules-1'

/** The function that creates each kind of answer, by the name of its schema. */
const answerFunctions: Record<string, (facts: never, turns: readonly Turn[]) => unknown> = {
  chat_turn: createChatTurn,
  guided_step: createGuidedStep,
  status_update: writeStatusUpdate,
  session_output: writeSessionOutput,
  handoff_draft: draftHandoff,
  escalation_assessment: writeAssessment,
  script_turn: writeScript,
  flow_draft: draftFlow,
  flow_edit: editFlow,
  flow_conversion: convertSession,
  article_nodes: createArticleNodes,
  diagram_draft: draftDiagram,
}

/**
 * Answer like a model, but by rules: every part comes from the facts and the conversation. Return undefined
 * for an unknown schema.
 */
export function answerByRules(schemaName: string, facts: Facts, turns: readonly Turn[]): unknown {
  return answerFunctions[schemaName]?.(facts as never, turns)
}
