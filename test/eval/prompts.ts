import type { Prompt } from '#vendors/ai/ask.ts'
import { flowConversion, flowDraft, flowEdit } from '#vendors/ai/prompts/authoring.ts'
import { chatTurn, guidedStep } from '#vendors/ai/prompts/diagnosis.ts'
import { diagramDraft } from '#vendors/ai/prompts/diagrams.ts'
import { articleNodes } from '#vendors/ai/prompts/knowledge.ts'
import { scriptTurn } from '#vendors/ai/prompts/scripts.ts'
import {
  escalationAssessment,
  handoffDraft,
  sessionOutput,
  statusUpdate,
} from '#vendors/ai/prompts/writing.ts'

/** Every prompt of the service. The recorded cases of `chat_turn` are in cases/chat-turn.json. */
export const prompts: readonly Prompt[] = [
  chatTurn,
  guidedStep,
  statusUpdate,
  sessionOutput,
  handoffDraft,
  escalationAssessment,
  scriptTurn,
  flowDraft,
  flowEdit,
  flowConversion,
  articleNodes,
  diagramDraft,
]
