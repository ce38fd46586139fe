import { invalidField } from '#problem.ts'
import type { Budget } from '#rules/budget.ts'
import { parseDocumentText } from './document.ts'
import type { ImportedFlow } from './imported-flow.ts'
import { findRundeckJobs, readRundeckJob } from './rundeck.ts'
import { findTypebotFlow, readTypebotFlow } from './typebot.ts'
import { findXsoarPlaybook, readXsoarPlaybook } from './xsoar.ts'

/** Read a flow of another tool, which its content tells. Throw 422 for any other file. */
export function readForeignFlow(content: string, budget: Budget): ImportedFlow {
  const value = parseDocumentText(content, budget)
  const typebot = findTypebotFlow(value)
  if (typebot) return readTypebotFlow(typebot, budget)
  const playbook = findXsoarPlaybook(value)
  if (playbook) return readXsoarPlaybook(playbook, budget)
  const jobs = findRundeckJobs(value)
  if (jobs) return readRundeckJob(jobs)
  const expected =
    'must be a flow of Typebot (JSON), a job of Rundeck (YAML or JSON) or a playbook of XSOAR (YAML)'
  throw invalidField(['body', 'content'], expected, 'invalid_format')
}
