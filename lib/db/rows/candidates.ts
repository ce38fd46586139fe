import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { callFunction } from '#db/call-function.ts'
import { notNull, readStatement } from '#db/statement.ts'
import type { TreeStructure, TreeType } from '#rules/flows/structure.ts'

/** A flow, an article or a resolved session that fits a problem. */
export type Candidate = { id: string; title: string; score: number } & (
  | {
      kind: 'flow'
      content: {
        description: string
        category: string | null
        tree_type: TreeType
        tree_structure: TreeStructure
      }
    }
  | { kind: 'article'; content: { text: string } }
  | {
      kind: 'session'
      content:
        | { problem: string | null; cause: string | null; notes: string | null; fixes: string[] }
        | ColleaguesCase
    }
)

/** What a case of a colleague for the same client says to those who may not open it. */
export interface ColleaguesCase {
  outcome: string
  solved_by: string
}

const CandidateRow = z.object({
  kind: z.string(),
  id: z.string(),
  title: z.string(),
  score: notNull<number>(),
  content: z.custom<Candidate['content']>(),
})

// More than `maxCandidates`, because some of them may not be visible to the caller.
const maxFound = 40
const maxCandidates = 6
// A candidate that fits much worse than the best one is left out.
const minShareOfBest = 0.35
// The characters of an article that can be used.
const maxArticleText = 8000

const flowColumns = sql`
  select 'flow' as kind, t.id, t.name as title, f.score, f.similarity, jsonb_build_object('description', t.description, 'category', v.category,
         'tree_type', t.tree_type, 'tree_structure', v.tree_structure) as content
    from found f join trees t on t.account_id in (app.account_id(), app.platform_account()) and t.id = f.tree_id
    join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
   where t.status = 'published' and t.deleted_at is null and v.tree_structure is not null
     and (t.account_id = app.platform_account() or app.sees(t.visibility, t.author_id, t.team_id))`
// An imported article whose flow is published is found as that flow.
const articleColumns = sql`
  select 'article', i.id, i.title, f.score, f.similarity, jsonb_build_object('text', left((
           select string_agg(b.item ->> 'text', chr(10) order by b.place) from jsonb_array_elements(i.blocks) with ordinality b (item, place)), ${maxArticleText}))
    from found f join kb_imports i on i.account_id = app.account_id() and i.id = f.import_id
   where i.status <> 'failed' and app.sees('team', i.created_by, i.team_id)
     and not exists (select from trees t where t.account_id = i.account_id and t.id = i.tree_id and t.status = 'published' and t.deleted_at is null)`
// A colleague's case of the same client has its title, how it ended and whom to ask, and nothing else. It
// stays in its team, and one of a private flow with its author.
const isOfClient = (client: string | null) => sql`
  (${client}::text is not null and app.name_key(s.client_name) = app.name_key(${client}) and app.sees('team', s.user_id, s.team_id)
   and not app.hides_flow(s.tree_id))`
const sessionColumns = (client: string | null) => sql`
  select 'session', s.id, s.title, f.score, f.similarity, case when app.sees_ai_session(s) then jsonb_build_object('problem', s.problem_summary, 'cause', s.triage_hypothesis, 'notes', s.resolution_notes, 'resolution', s.resolution,
         'fixes', coalesce((select jsonb_agg(x.title order by x.created_at, x.id) from ai_fixes x
                             where x.account_id = s.account_id and x.session_id = s.id and x.status in ('applied_success', 'applied_partial')), '[]'))
         else jsonb_build_object('outcome', s.outcome, 'solved_by', (
           select u.full_name from users u where u.account_id = s.account_id and u.id = coalesce(s.picked_up_by_id, s.user_id))) end
    from found f join ai_sessions s on s.account_id = app.account_id() and s.id = f.ai_session_id
   where s.status = 'resolved' and (app.sees_ai_session(s) or ${isOfClient(client)})`

/** What a text means to the model that also embeds the entries. */
export interface Meaning {
  model: string
  embedding: readonly number[]
}

// Of each list by its rank, because scores and cosines cannot be compared. With 60, which its authors
// propose, the second place of both lists is better than the first one of a single list:
// https://doi.org/10.1145/1571941.1572114
const rankOffset = 60
const toPoints = (value: RawBuilder<unknown>) =>
  sql`case when ${value} is not null then 1.0 / (${rankOffset}::integer + row_number() over (order by ${value} desc nulls last, id)) else 0 end`

/**
 * Select published flows of every type, articles and resolved sessions that fit a text by their words, or
 * also by their meaning, best first. With `treeId`, that flow is the first one and the only flow. With
 * `client`, colleagues' cases of this client are among them, without their content. The conditions on visibility repeat the policies, which do not apply to the role of jobs.
 */
export const selectCandidates = readStatement(
  CandidateRow,
  (text: string, treeId: string | null, meaning: Meaning | null = null, client: string | null = null) => sql`
    with found as materialized (
      select f.tree_id, f.import_id, f.ai_session_id, max(f.score) as score, max(f.similarity) as similarity from (
        select w.*, null::double precision as similarity from ${callFunction('app.find_knowledge', { p_text: text, p_limit: maxFound })} w
        union all select m.tree_id, m.import_id, m.ai_session_id, null, m.similarity
          from ${callFunction('app.find_similar_knowledge', {
            p_embedding: meaning?.embedding ?? null,
            p_model: meaning?.model ?? null,
            p_limit: maxFound,
          })} m) f
       where ${treeId}::uuid is null or f.tree_id is null group by 1, 2, 3
      union all select ${treeId}::uuid, null, null, 'infinity', null where ${treeId}::uuid is not null)
    select kind, id, title, coalesce(score, 0) as score, content
      from (select c.*, max(nullif(c.score, 'infinity')) over () as best, ${toPoints(sql`c.score`)} + ${toPoints(sql`c.similarity`)} as points
              from (${flowColumns} union all ${articleColumns} union all ${sessionColumns(client)}) c) c
     where score >= ${minShareOfBest}::double precision * best or score = 'infinity' or similarity is not null
     order by score = 'infinity' desc nulls last, points desc, id limit ${maxCandidates}`,
)
