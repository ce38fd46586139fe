import type { Prompt } from '../../lib/ai/ask.ts'
import { flowConversion, flowDraft, flowEdit } from '../../lib/ai/prompts/authoring.ts'
import { chatTurn, guidedStep } from '../../lib/ai/prompts/diagnosis.ts'
import { diagramDraft } from '../../lib/ai/prompts/diagrams.ts'
import { articleNodes } from '../../lib/ai/prompts/knowledge.ts'
import { scriptTurn } from '../../lib/ai/prompts/scripts.ts'
import { escalationAssessment, handoffDraft, sessionOutput, statusUpdate } from '../../lib/ai/prompts/writing.ts'

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
