import { oldestFirst, type PageQuery, toPage } from '#db/page.ts'
import type { Fix } from '#db/rows/ai-session.ts'
import { findActiveBranch } from '#db/rows/ai-session-queries.ts'
import type { OutcomePatch, SuggestedFix } from '#functions/ai/sessions/schemas.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as drafts from '#functions/scripts/drafts/service.ts'
import * as scripts from '#functions/scripts/scripts/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { parseTemplate } from '#rules/scripts/placeholders.ts'
import type { Template } from '#rules/scripts/render.ts'
import { assessRendered, type ScriptAssessment } from '#rules/scripts/risk/assess-script.ts'
import type { ScriptParameter } from '#rules/scripts/schema.ts'
import { clip } from '#rules/text/clip.ts'
import * as queries from './queries.ts'
import type { DecisionCreate, FixDecisionResult, FixId, ScriptPatch } from './schemas.ts'

export async function list({ db }: ReadContext, sessionId: string, page: PageQuery) {
  const fixes = await queries.selectFixes(db, sessionId, page)
  if (fixes.length === 0) await findActiveBranch(db, sessionId)
  return toPage(fixes as SuggestedFix[], page, oldestFirst)
}

/** Record when the fix was first applied. Its outcome is recorded later. */
export async function apply({ db }: WriteContext, ids: FixId): Promise<SuggestedFix> {
  const fix = requireOwnFix(await queries.applyFix(db, ids))
  if (fix.status === 'proposed') return fix
  throw aiSessions.createDecidedProblem(fix)
}

export async function clearProposal({ db }: WriteContext, ids: FixId): Promise<void> {
  requireOwnFix(await queries.clearProposal(db, ids))
}

export async function recordOutcome(
  { db }: WriteContext,
  ids: FixId,
  patch: OutcomePatch,
): Promise<SuggestedFix> {
  return requireRecorded(await queries.recordOutcome(db, ids, patch))
}

export async function updateScript(
  { db }: WriteContext,
  ids: FixId,
  patch: ScriptPatch,
): Promise<SuggestedFix> {
  const { script, parameters = [], language = 'powershell' } = patch
  requireSafePlaceholders({ script_body: script, parameters_schema: parameters, language }, 'script')
  return requireRecorded(await queries.updateScript(db, ids, patch))
}

/**
 * Render the script of a fix for one run, a draft or the script builder. Does not change the fix's status.
 */
export async function decideScript(
  ctx: WriteContext,
  ids: FixId,
  { decision, edited_script, parameters = {} }: DecisionCreate,
): Promise<FixDecisionResult> {
  const row = await queries.selectFix(ctx.db, ids)
  const fix = requireOwnFix(row)
  const template = await findTemplate(ctx, fix, row.language)
  const scriptTemplate = edited_script === undefined ? template : { ...template, script_body: edited_script }
  requireSafePlaceholders(scriptTemplate, 'edited_script')
  const renderable =
    decision === 'one_off'
      ? makeUnusedParametersOptional(scriptTemplate)
      : keepProvidedParameters(scriptTemplate, parameters)
  const { script: rendered } = scripts.render(renderable, parameters)
  const assessment = assessRendered(scriptTemplate.language, rendered)
  if (decision === 'one_off') requireLowRisk(assessment)
  // A script of medium or high risk is returned without values, because rendering it needs an approval.
  const script = assessment.risk === 'low' ? rendered : scriptTemplate.script_body
  await queries.touchSession(ctx.db, ids.session_id)
  switch (decision) {
    case 'one_off':
      return { script }
    case 'build_template':
      return { script, redirect_path: builderPath(ids) }
    case 'draft_template': {
      const draft_template_id = await drafts.propose(ctx, {
        name: clip(fix.title, 200),
        description: fix.description,
        language: scriptTemplate.language,
        script_body: scriptTemplate.script_body,
        proposed_parameters: scriptTemplate.parameters_schema,
        source_session_id: ids.session_id,
        source_ticket_ref: row.session?.psa_ticket_id ?? null,
        source_fix_id: ids.fix_id,
      })
      return { script, draft_template_id }
    }
  }
}

/** Return the script of a fix with its parameters: the drafted script, or else the script of its template. */
async function findTemplate(
  ctx: WriteContext,
  fix: Fix,
  language: Template['language'] | null,
): Promise<Template> {
  if (fix.ai_drafted_script !== null)
    return {
      language: language ?? 'powershell',
      script_body: fix.ai_drafted_script,
      parameters_schema: fix.ai_drafted_parameters as ScriptParameter[],
    }
  if (fix.script_template_id === null)
    throw new Problem('no_script', 'This fix has no script to decide on; write one first')
  const {
    script_body,
    parameters_schema,
    language: templateLanguage,
    risk,
    risk_reasons,
  } = await scripts.get(ctx, fix.script_template_id)
  requireLowRisk({ risk, risk_reasons })
  return {
    script_body,
    parameters_schema: parameters_schema as ScriptParameter[],
    language: templateLanguage,
  }
}

/** Throw 409 for a script that needs an approval, which covers a template alone. */
export function requireLowRisk({
  risk,
  risk_reasons,
}: Pick<ScriptAssessment, 'risk' | 'risk_reasons'>): void {
  if (risk === 'low') return
  const detail = `A script of ${risk} risk needs an approval, which the text of a fix cannot have; make it a template, and request an approval to run that here`
  throw new Problem('approval_required', detail, { facts: { risk, risk_reasons } })
}

/** Make those parameters optional that the script does not use. */
function makeUnusedParametersOptional(template: Template): Template {
  const used = new Set(parseTemplate(template.script_body).placeholders.map(({ name }) => name))
  const parameters_schema = template.parameters_schema.map((parameter) => ({
    ...parameter,
    required: parameter.required && used.has(parameter.name),
  }))
  return { ...template, parameters_schema }
}

/** Keep the parameters that have a value, so that the other placeholders stay in the template. */
function keepProvidedParameters(template: Template, parameters: Record<string, unknown>): Template {
  return {
    ...template,
    parameters_schema: template.parameters_schema.filter(({ name }) => Object.hasOwn(parameters, name)),
  }
}

/**
 * Throw 422 for a placeholder where a value is not safe. In a script without parameters, braces are not
 * placeholders.
 */
function requireSafePlaceholders(template: Template, field: string): void {
  if (template.parameters_schema.length > 0) scripts.requireSafePlaceholders(template, field)
}

function builderPath({ session_id, fix_id }: FixId): string {
  return `/script-builder?${new URLSearchParams({ origin: 'pilot_inline', ai_session_id: session_id, fix_id })}`
}

function requireOwnFix({ session, fix }: Pick<queries.FixRow, 'session' | 'fix'>): SuggestedFix & Fix {
  if (!session?.is_owner) throw aiSessions.createChangeProblem(session, [])
  if (!fix) throw notFound('Suggested fix')
  return fix as SuggestedFix & Fix
}

/** Return the fix. Throw 409 if it was not changed because its outcome is final. */
function requireRecorded(result: queries.FixRow & { isChanged: boolean }): SuggestedFix {
  const fix = requireOwnFix(result)
  if (result.isChanged || !aiSessions.isDecided(fix)) return fix
  throw aiSessions.createDecidedProblem(fix)
}
