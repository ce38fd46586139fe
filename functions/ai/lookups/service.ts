import * as z from 'zod'
import type { AiSessionRow } from '#db/rows/ai-session.ts'
import * as mcpServers from '#functions/ai/mcp-servers/service.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as diagrams from '#functions/diagrams/diagrams/service.ts'
import * as psa from '#functions/psa/tickets/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { notFound, Problem } from '#problem.ts'
import { clip } from '#rules/text/clip.ts'
import { containsDomain } from '#rules/text/hostname.ts'
import type { Question } from '#vendors/ai/ask.ts'
import { checkDomain } from '#vendors/ai/check-domain.ts'
import type { toCaseFacts } from '#vendors/ai/facts.ts'
import {
  createLookups,
  defineTool,
  type Finding,
  type Lookups,
  type LookupTool,
} from '#vendors/ai/lookups.ts'

export type LookupContext = Pick<
  WriteContext,
  'db' | 'vault' | 'psa' | 'mcp' | 'cache' | 'dns' | 'guard' | 'readCertificate' | 'embeddings' | 'config'
>
type CaseQuestion = Question & { facts: ReturnType<typeof toCaseFacts> }

const maxNotes = 40
const maxNoteCharacters = 1500

/**
 * Create the lookups of a turn: the service's tools that the case has data for, and the tools of MCP servers
 * that an admin has allowed. The service's tools take no id of a ticket or a client. The case, and what its
 * technician sees, decide what the model may read.
 */
export async function createTurnLookups(
  ctx: LookupContext,
  session: AiSessionRow,
  question: CaseQuestion,
): Promise<Lookups> {
  const { ticket } = question.facts
  const client = ticket?.company ?? session.client_name
  return createLookups([
    ...listFlowTools(ctx),
    ...(ticket && session.psa_ticket_id ? listTicketTools(ctx, session.psa_ticket_id) : []),
    ...(client ? [createDiagramTool(ctx, client)] : []),
    createDomainTool(ctx, listCaseTexts(question)),
    ...(await mcpServers.listTurnTools(ctx)),
  ])
}

function listFlowTools(ctx: LookupContext): LookupTool[] {
  return [
    defineTool(
      'search_flows',
      'Search the published flows of the team with words. Use it if the flows in the facts do not fit.',
      z.strictObject({ text: z.string().trim().min(1).max(500) }),
      async ({ text }) => {
        const { sources } = await aiSessions.findMaterial(ctx, text, null)
        const flows = sources.numbered
          .filter(({ kind }) => kind === 'flow')
          .map(({ id }, index) => describeFlow(id, sources.facts.flows[index]))
        return { source: 'Published flows', summary: count(flows.length, 'flow'), result: flows }
      },
    ),
    defineTool(
      'read_flow',
      'Read the questions, steps and solutions of a flow that search_flows has found.',
      z.strictObject({ flow_id: z.uuid() }),
      async ({ flow_id }) => {
        const [flow] = (await aiSessions.findMaterial(ctx, '', flow_id)).sources.facts.flows
        if (!flow) throw notFound('Flow')
        const { number: _, ...content } = flow
        return { source: `Flow “${flow.name}”`, summary: count(flow.nodes.length, 'node'), result: content }
      },
    ),
  ]
}

function describeFlow(
  id: string,
  flow: { name: string; description: string; category: string | null } | undefined,
) {
  return { flow_id: id, name: flow?.name, description: flow?.description, category: flow?.category }
}

function listTicketTools(ctx: LookupContext, ticketId: string): LookupTool[] {
  return [
    defineTool(
      'read_ticket_notes',
      'Read the notes of the ticket in full, newest first. The facts have only the beginning of the newest ones.',
      z.strictObject({}),
      async () => {
        const { ticket, notes } = await psa.getSurvivingContext(ctx, ticketId)
        const result = notes.slice(0, maxNotes).map(({ internal, author, created_at: at, text }) => ({
          internal,
          author,
          at,
          text: clip(text, maxNoteCharacters),
        }))
        return { source: `Ticket ${ticket.id}`, summary: count(result.length, 'note'), result }
      },
    ),
    defineTool(
      'list_client_tickets',
      'List the newest other open tickets of the client of the ticket, to see whether others have the same problem.',
      z.strictObject({}),
      async () => {
        const { ticket, tickets, hasMore } = await psa.listOpenTicketsOfClient(ctx, ticketId)
        const result = tickets.map(({ id, summary, status, priority, updated_at }) => ({
          id,
          summary,
          status,
          priority,
          updated_at,
        }))
        const summary = `${count(result.length, 'other open ticket')}${hasMore ? ', and more' : ''}`
        return { source: `Open tickets of the client of ticket ${ticket.id}`, summary, result }
      },
    ),
  ]
}

function createDiagramTool(ctx: LookupContext, client: string): LookupTool {
  return defineTool(
    'show_diagram',
    'Show what is linked to a machine or device in the network diagrams of the client. Give its name or a part of it.',
    z.strictObject({ asset: z.string().trim().min(2).max(200) }),
    async ({ asset }): Promise<Finding> => {
      const result = await diagrams.findNeighbours(ctx, client, asset)
      const source =
        result.length > 0
          ? result.map(({ diagram }) => `Diagram “${diagram}”`).join(', ')
          : 'Network diagrams'
      return { source: clip(source, 300), summary: count(result.length, 'diagram'), result }
    },
  )
}

function createDomainTool(ctx: LookupContext, caseTexts: string): LookupTool {
  return defineTool(
    'check_domain',
    'Look up the public DNS records of a domain in the case (addresses, mail servers, SPF, DMARC) and the certificate of its web server.',
    z.strictObject({
      domain: z
        .string()
        .trim()
        .toLowerCase()
        .max(253)
        .regex(/^(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/),
    }),
    async ({ domain }) => {
      // The model could write data of the case into a name, and the owner of its name servers would receive
      // it.
      if (!containsDomain(caseTexts, domain))
        throw new Problem(
          'forbidden',
          'Only a domain that the ticket or the technician names can be looked up',
        )
      return checkDomain(ctx, domain)
    },
  )
}

/** Return what people have written in a case. Texts of the model are left out. */
function listCaseTexts({ facts: { session, ticket, steps, task_lane }, turns = [] }: CaseQuestion): string {
  const said = turns.filter(({ role }) => role === 'user').map(({ text }) => text)
  return JSON.stringify([session, ticket, steps.map(({ response }) => response), task_lane.responses, said])
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
