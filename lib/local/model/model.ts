import { createFlowDraft, createFlowEdit } from './authoring.ts'
import { createFlowConversion } from './conversions.ts'
import { createChatTurn, createGuidedStep } from './diagnosis.ts'
import { createDiagramDraft } from './diagrams.ts'
import type { Facts, Turn } from './facts.ts'
import { createArticleNodes } from './knowledge.ts'
import { createScriptTurn } from './scripts.ts'
import {
  createEscalationAssessment,
  createHandoffDraft,
  createSessionOutput,
  createStatusUpdate,
} from './summaries.ts'

/** The name of the local model. It shows that no real model has answered. */
export const modelName = 'local-rules-1'

/** The function that creates each kind of answer, by the name of its schema. */
const answerFunctions: Record<string, (facts: Facts, turns: readonly Turn[]) => unknown> = {
  chat_turn: createChatTurn,
  guided_step: createGuidedStep,
  status_update: createStatusUpdate,
  session_output: createSessionOutput,
  handoff_draft: createHandoffDraft,
  escalation_assessment: createEscalationAssessment,
  script_turn: createScriptTurn,
  flow_draft: (facts, turns) => createFlowDraft(facts as Parameters<typeof createFlowDraft>[0], turns),
  flow_edit: (facts) => createFlowEdit(facts as Parameters<typeof createFlowEdit>[0]),
  flow_conversion: (facts) => createFlowConversion(facts as Parameters<typeof createFlowConversion>[0]),
  article_nodes: (facts) => createArticleNodes(facts as Parameters<typeof createArticleNodes>[0]),
  diagram_draft: (facts) => createDiagramDraft(facts as Parameters<typeof createDiagramDraft>[0]),
}

/**
 * Answer like a model, but by rules: every part comes from the facts and the conversation. Return undefined
 * for an unknown schema.
 */
export function answerByRules(schemaName: string, facts: Facts, turns: readonly Turn[]): unknown {
  return answerFunctions[schemaName]?.(facts, turns)
}
