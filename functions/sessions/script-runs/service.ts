import { oldestFirst, type PageQuery, toPage } from '#db/page.ts'
import { maxScriptRuns, type NewScriptRun } from '#db/rows/script-runs.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import { requireGranted } from '#http/granted-scopes.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, limitReached, Problem, unknownId } from '#problem.ts'
import { replaceSecretAnswers } from '#rules/flows/secret-answers.ts'
import { containsStep } from '#rules/flows/step-navigation.ts'
import { clip } from '#rules/text/clip.ts'
import { toPlainOutput } from '#rules/text/terminal-output.ts'
import * as queries from './queries.ts'
import type { AiScriptRunCreate, ScriptRun, ScriptRunCreate } from './schemas.ts'

export async function list({ db }: ReadContext, sessionId: string, page: PageQuery) {
  const runs = await queries.selectRuns.all(db, sessionId, page)
  if (runs.length === 0) await sessions.find(db, sessionId)
  return toPage(runs, page, oldestFirst)
}

export async function create(
  ctx: WriteContext,
  sessionId: string,
  { step_id, approval_id, ...input }: ScriptRunCreate,
): Promise<ScriptRun> {
  const session = await sessions.requireEditable(ctx.db, sessionId)
  if (step_id && !containsStep(session.tree_structure, step_id))
    throw invalidField(['body', 'step_id'], 'must be the id of a step of this flow', 'custom')
  if (approval_id)
    await requireGrantedApproval(ctx, { session_id: sessionId, approval_id }, input.script_template_id)
  const secrets = session.secret_keys.length > 0 ? await sessions.readSecretAnswers(ctx, sessionId) : []
  const hideSecrets = (text: string) => replaceSecretAnswers(text, secrets)
  const { title, script, target, output } = input
  // Before the title is cut from the script: a part of a secret would not be found.
  const texts = { target: hideSecrets(target), output: hideSecrets(output) }
  const run = await toNewRun(ctx, {
    ...input,
    ...texts,
    title: title && hideSecrets(title),
    script: script && hideSecrets(script),
  })
  const places = { step_id: step_id ?? null, approval_id: approval_id ?? null }
  return (await queries.insertRun(ctx.db, sessionId, { ...run, ...places })) ?? throwTooManyRuns()
}

const maxTitle = 200
const maxTarget = 255

/**
 * Return the row of a run. A template has its name and version of now. Placeholders of secrets may have made
 * a title or a target too long.
 */
export async function toNewRun(
  ctx: WriteContext,
  { script_template_id, script, title, target, started_at, ended_at, ...input }: AiScriptRunCreate,
): Promise<Omit<NewScriptRun, 'step_id' | 'approval_id'>> {
  const times = { started_at: new Date(started_at).toISOString(), ended_at: new Date(ended_at).toISOString() }
  const run = { ...input, ...times, target: clip(target, maxTarget) }
  const toTitle = (name: string) => clip(title ?? name, maxTitle)
  if (script_template_id === undefined) {
    const firstLine =
      toPlainOutput(script ?? '')
        .trim()
        .split('\n')[0] || 'Script'
    return {
      ...run,
      title: toTitle(firstLine),
      script: script ?? '',
      script_template_id: null,
      script_version: null,
    }
  }
  await requireGranted(ctx, ['scripts:read'])
  const template = await queries.selectTemplate(ctx.db, script_template_id)
  if (!template) throw unknownId('script_template_id', 'script template')
  const { name, version } = template
  return { ...run, title: toTitle(name), script: null, script_template_id, script_version: version }
}

export function throwTooManyRuns(): never {
  throw limitReached(
    'script_runs',
    maxScriptRuns,
    `A session has at most ${maxScriptRuns} script runs; add the output as supporting data`,
  )
}

/** Throw 422 for what is no granted approval of this script template in the session. */
async function requireGrantedApproval(
  ctx: WriteContext,
  ids: { session_id: string; approval_id: string },
  templateId: string | undefined,
): Promise<void> {
  const { decided_by, state, script_template_id } = await approvals
    .get(ctx, ids)
    .catch(throwUnknown('approval_id', 'approval'))
  if (!decided_by || state === 'rejected')
    throw invalidField(['body', 'approval_id'], 'must be the id of a granted approval', 'custom')
  if (script_template_id !== templateId)
    throw invalidField(['body', 'approval_id'], 'must be an approval of the script_template_id', 'custom')
}

const throwUnknown = (field: string, resource: string) => (error: unknown) => {
  throw error instanceof Problem && error.kind === 'not_found' ? unknownId(field, resource) : error
}
