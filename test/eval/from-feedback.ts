import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createBudget, jobSteps, runWithin } from '#rules/budget.ts'
import { maskAll } from '#rules/release.ts'
import type { Case } from './cases.ts'

interface FeedbackRow {
  prompt: 'chat_turn' | 'guided_step' | 'escalation_assessment'
  prompt_version: number
  model: string
  helpful: boolean
  correction: string | null
  answer: string
  facts: Record<string, unknown>
  turns: Case['turns'] | null
}

// What the case knew when the model answered. A guided session has no turns.
const selectFeedback = `
  select f.prompt, f.prompt_version, f.model, f.helpful, f.correction, f.answer,
         jsonb_build_object(
           'now', to_char(f.given_at, 'FMDay YYYY-MM-DD HH24:MI, "UTC"'),
           'session', jsonb_build_object('title', s.title, 'problem_summary', s.problem_summary, 'environment_tags', s.environment_tags),
           'triage', jsonb_build_object('client_name', null, 'asset_name', null, 'issue_category', s.issue_category, 'triage_hypothesis', null),
           'evidence', coalesce((select jsonb_agg(e ->> 'text') from jsonb_array_elements(s.evidence_items) e), '[]'),
           'known', coalesce((select jsonb_agg(jsonb_build_object('key', k.key, 'value', left(k.value, 1000)) order by k.created_at) from ai_facts k
                               where k.account_id = s.account_id and k.session_id = s.id and k.created_at < at.answered), '[]'),
           'task_lane', jsonb_build_object('questions', '[]'::jsonb, 'actions', '[]'::jsonb, 'responses', '[]'::jsonb), 'ticket', null,
           'steps', coalesce((select jsonb_agg(jsonb_build_object('kind', t.kind, 'text', left(t.text, 1000), 'options', t.options,
                                               'response', t.response) order by t.seq) from ai_steps t
                               where t.account_id = s.account_id and t.session_id = s.id and t.created_at < at.answered), '[]'),
           'fixes', '[]'::jsonb, 'flows', '[]'::jsonb, 'articles', '[]'::jsonb, 'resolved_sessions', '[]'::jsonb, 'templates', '[]'::jsonb,
           'refused_fixes', '[]'::jsonb) as facts,
         (select jsonb_agg(jsonb_build_object('role', m.role, 'text', m.content) order by m.position) from ai_messages m
           where m.account_id = s.account_id and m.session_id = s.id and m.created_at < at.answered and m.failure is null) as turns
    from ai_feedback f join ai_sessions s on s.account_id = f.account_id and s.id = f.session_id
    cross join lateral (select coalesce(
      (select m.created_at from ai_messages m where f.subject = 'reply' and m.account_id = f.account_id and m.id = f.subject_id),
      (select t.created_at from ai_steps t where f.subject = 'step' and t.account_id = f.account_id and t.id = f.subject_id),
      (select x.created_at from ai_fixes x where f.subject = 'fix' and x.account_id = f.account_id and x.id = f.subject_id),
      f.given_at) as answered) at
   where f.prompt is not null and (f.correction is not null or f.helpful)
   order by f.given_at desc, f.id desc limit $1`

const maxCases = 1000

/**
 * Write what technicians said of the model's answers as cases of its prompts, masked: what would have been
 * right becomes a criterion for the judge. Names of clients and machines in texts stay, so the folder is as
 * confidential as the database. Return the number of cases.
 */
export async function writeFeedbackCases(ownerUrl: string, folder: string): Promise<number> {
  const client = new pg.Client(ownerUrl)
  await client.connect()
  try {
    const { rows } = await client.query<FeedbackRow>(selectFeedback, [maxCases])
    const casesByPrompt = Map.groupBy(rows, ({ prompt }) => prompt)
    await mkdir(folder, { recursive: true })
    for (const [prompt, given] of casesByPrompt)
      await writeFile(
        join(folder, `${prompt.replaceAll('_', '-')}.json`),
        `${JSON.stringify(given.map(toCase), null, 2)}\n`,
        {
          mode: 0o600,
        },
      )
    return rows.length
  } finally {
    await client.end()
  }
}

function toCase(
  { prompt, prompt_version, model, helpful, correction, answer, facts, turns }: FeedbackRow,
  index: number,
): Case {
  const criterion = correction
    ? `It agrees with what a technician said would have been right: ${correction}`
    : `It advises what a technician found helpful: ${answer.slice(0, 2000)}`
  const name = `${index + 1}: ${helpful ? 'helpful' : 'not helpful'}, ${prompt} version ${prompt_version} of ${model}`
  const given = {
    facts,
    ...(turns && prompt === 'chat_turn' ? { turns } : {}),
    expect: { judge: [criterion] },
  }
  return { name, ...runWithin(createBudget({ steps: jobSteps }), () => maskAll(given)) }
}
