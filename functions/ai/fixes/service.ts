import { clip } from '../../../lib/chat/chat.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { Fix, FixStatus } from '../../../lib/db/rows/ai-session.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { placeholdersOf } from '../../../lib/scripts/placeholders.ts'
import type { Template } from '../../../lib/scripts/render.ts'
import type { ScriptParameter } from '../../../lib/scripts/schema.ts'
import * as drafts from '../../scripts/drafts/service.ts'
import * as scripts from '../../scripts/scripts/service.ts'
import type { SuggestedFix } from '../sessions/schemas.ts'
import * as aiSessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { DecisionCreate, DecisionMade, FixId, OutcomePatch, ScriptPatch } from './schemas.ts'

const terminal: readonly FixStatus[] = ['applied_success', 'applied_failed', 'dismissed']

export async function list({ db }: Reader, sessionId: string, page: PageQuery) {
  const fixes = await queries.selectFixes(db, sessionId, page)
  if (fixes.length === 0) await aiSessions.find(db, sessionId)
  return toPage(fixes as SuggestedFix[], page.limit)
}

/** Stamps when it was first applied; its outcome is still to come. */
export async function apply({ db }: Writer, ids: FixId): Promise<SuggestedFix> {
  const fix = owned(await queries.applyFix(db, ids))
  if (fix.status === 'proposed') return fix
  throw conflict('fix_past_proposed', `This fix has an outcome already: ${words(fix.status)}`, fix)
}

export async function clearProposal({ db }: Writer, ids: FixId): Promise<void> {
  owned(await queries.clearProposal(db, ids))
}

export async function recordOutcome({ db }: Writer, ids: FixId, patch: OutcomePatch): Promise<SuggestedFix> {
  return unlessTerminal(await queries.recordOutcome(db, ids, patch))
}

export async function writeScript({ db }: Writer, ids: FixId, patch: ScriptPatch): Promise<SuggestedFix> {
  const { script, parameters = [], language = 'powershell' } = patch
  requireSafe({ script_body: script, parameters_schema: parameters, language }, 'script')
  return unlessTerminal(await queries.writeScript(db, ids, patch))
}

/** What is to be done with the fix's script; what became of the fix is not touched. */
export async function decide(ctx: Writer, ids: FixId, { decision, edited_script, parameters = {} }: DecisionCreate): Promise<DecisionMade> {
  const found = await queries.selectFix(ctx.db, ids)
  const fix = owned(found)
  const template = await templateOf(ctx, fix, found.language)
  const chosen = edited_script === undefined ? template : { ...template, script_body: edited_script }
  requireSafe(chosen, 'edited_script')
  const { script } = scripts.render(decision === 'one_off' ? asked(chosen) : given(chosen, parameters), parameters)
  await queries.touchSession(ctx.db, ids.session_id)
  if (decision === 'one_off') return { script }
  if (decision === 'build_template') return { script, redirect_path: builderPath(ids) }
  const draft_template_id = await drafts.propose(ctx, {
    name: clip(fix.title, 200),
    description: fix.description,
    language: chosen.language,
    script_body: chosen.script_body,
    proposed_parameters: chosen.parameters_schema,
    source_session_id: ids.session_id,
    source_ticket_ref: found.session?.psa_ticket_id ?? null,
    source_fix_id: ids.fix_id,
  })
  return { script, draft_template_id }
}

/** The script that a fix stands for: the one written for it, else that of its template. */
async function templateOf(ctx: Writer, fix: Fix, language: Template['language'] | null): Promise<Template> {
  if (fix.ai_drafted_script !== null)
    return {
      language: language ?? 'powershell',
      script_body: fix.ai_drafted_script,
      parameters_schema: fix.ai_drafted_parameters as ScriptParameter[],
    }
  if (fix.script_template_id === null)
    throw new Problem('bad_request', 'This fix has no script to decide on: write one first', { code: 'no_script' })
  const { script_body, parameters_schema, language: spoken } = await scripts.get(ctx, fix.script_template_id)
  return { script_body, parameters_schema: parameters_schema as ScriptParameter[], language: spoken }
}

/** What a script does not use need not be given. */
function asked(template: Template): Template {
  const used = new Set(placeholdersOf(template.script_body).map(({ name }) => name))
  const required = (parameter: ScriptParameter) => parameter.required && used.has(parameter.name)
  return { ...template, parameters_schema: template.parameters_schema.map((one) => ({ ...one, required: required(one) })) }
}

/** Only what is given is filled in; a template keeps its other placeholders. */
function given(template: Template, parameters: Record<string, unknown>): Template {
  return { ...template, parameters_schema: template.parameters_schema.filter(({ name }) => Object.hasOwn(parameters, name)) }
}

/** Where values go in, they must be safe there; braces of a script that has no parameters are its own. */
function requireSafe(template: Template, field: string): void {
  if (template.parameters_schema.length > 0) scripts.requireSafe(template, field)
}

function builderPath({ session_id, fix_id }: FixId): string {
  return `/script-builder?${new URLSearchParams({ origin: 'pilot_inline', ai_session_id: session_id, fix_id })}`
}

function owned({ session, fix }: Pick<queries.FixRow, 'session' | 'fix'>): SuggestedFix & Fix {
  if (!session?.is_owner) throw aiSessions.refusal(session, [])
  if (!fix) throw new Problem('not_found', 'Suggested fix not found')
  return fix as SuggestedFix & Fix
}

function unlessTerminal(found: queries.FixRow & { done: boolean }): SuggestedFix {
  const fix = owned(found)
  if (found.done || !terminal.includes(fix.status)) return fix
  throw conflict('fix_terminal', `What became of this fix is settled: ${words(fix.status)}`, fix)
}

function conflict(code: string, detail: string, { status }: Fix): Problem {
  return new Problem('conflict', detail, { code, facts: { status } })
}

const words = (status: FixStatus) => status.replaceAll('_', ' ')
