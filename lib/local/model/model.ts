import { flowDraft, flowEdit } from './authoring.ts'
import type { Facts, Said } from './case.ts'
import { flowConversion } from './conversions.ts'
import { chatTurn, guidedStep } from './diagnosis.ts'
import { diagramDraft } from './diagrams.ts'
import { articleNodes } from './knowledge.ts'
import { scriptTurn } from './scripts.ts'
import { escalationAssessment, handoffDraft, sessionOutput, statusUpdate } from './writing.ts'

/** What it calls itself: no one shall take it for more than it is. */
export const modelName = 'local-rules-1'

/** One rule set per kind of answer, by the name of its schema. */
const rules: Record<string, (facts: Facts, said: readonly Said[]) => unknown> = {
  chat_turn: chatTurn,
  guided_step: guidedStep,
  status_update: statusUpdate,
  session_output: sessionOutput,
  handoff_draft: handoffDraft,
  escalation_assessment: escalationAssessment,
  script_turn: scriptTurn,
  flow_draft: (facts, said) => flowDraft(facts as Parameters<typeof flowDraft>[0], said),
  flow_edit: (facts) => flowEdit(facts as Parameters<typeof flowEdit>[0]),
  flow_conversion: (facts) => flowConversion(facts as Parameters<typeof flowConversion>[0]),
  article_nodes: (facts) => articleNodes(facts as Parameters<typeof articleNodes>[0]),
  diagram_draft: (facts) => diagramDraft(facts as Parameters<typeof diagramDraft>[0]),
}

/** A model without a model: every part of its answer is taken from the facts and the conversation by rules. Undefined for an unknown task. */
export function answerByRules(name: string, facts: Facts, said: readonly Said[]): unknown {
  return rules[name]?.(facts, said)
}
