/**
 * A tool and the operation that it calls. Its input, its description and whether it only reads derive from
 * the operation.
 */
export interface ToolDeclaration {
  name: string
  /** The id of the operation. */
  operation: string
  title: string
  /** When to use the tool, for the model. What the operation does is added from its declaration. */
  hint: string
  /** Query parameters that the tool sets itself. */
  fixed?: Record<string, string>
  /** Marks a tool that discards or ends something. */
  isDestructive?: true
}

/** The tools in the order of their use. Each calls an operation that API keys may call. */
export const tools: readonly ToolDeclaration[] = [
  {
    name: 'search_everything',
    operation: 'search.find',
    title: 'Search everything',
    hint: 'Find flows, earlier sessions, scripts, articles and diagrams about a problem, client, ticket or error code.',
  },
  {
    name: 'search_flows',
    operation: 'flows.trees.list',
    title: 'Search flows',
    hint: 'Find the troubleshooting flow for a problem.',
  },
  {
    name: 'read_flow',
    operation: 'flows.markdown.export',
    title: 'Read a flow',
    hint: 'Read the steps of a flow as markdown.',
  },
  {
    name: 'get_flow_structure',
    operation: 'flows.trees.get',
    title: 'Get the structure of a flow',
    hint: 'Get the ids of steps and options, and the fields to fill in before a run.',
  },
  {
    name: 'list_articles',
    operation: 'authoring.kbImports.list',
    title: 'List articles',
    hint: 'List the imported knowledge articles.',
  },
  {
    name: 'read_article',
    operation: 'authoring.kbImports.get',
    title: 'Read an article',
    hint: 'Read a knowledge article as imported.',
  },
  {
    name: 'search_scripts',
    operation: 'scripts.list',
    title: 'Search scripts',
    hint: 'Find a script template for a fix.',
  },

  {
    name: 'dry_run_flow',
    operation: 'sessions.dryRuns.run',
    title: 'Dry-run a flow',
    hint: 'Try a flow or a draft with answers, without starting a run.',
  },
  {
    name: 'start_flow',
    operation: 'sessions.start',
    title: 'Start a flow',
    hint: 'Start a run of a flow, usually for a ticket.',
  },
  {
    name: 'list_runs',
    operation: 'sessions.list',
    title: 'List runs',
    hint: 'Find runs of flows, for example of a ticket.',
  },
  {
    name: 'get_run',
    operation: 'sessions.get',
    title: 'Get a run',
    hint: 'Get the current step of a run and what was answered.',
  },
  {
    name: 'answer_step',
    operation: 'sessions.steps.recordDecision',
    title: 'Answer a step',
    hint: 'Answer the current step, then read the next one.',
  },
  {
    name: 'request_approval',
    operation: 'sessions.approvals.request',
    title: 'Request an approval',
    hint: 'Ask colleagues to approve the current step, after an answer was refused with approval_required. People are notified.',
    isDestructive: true,
  },
  {
    name: 'get_approval',
    operation: 'sessions.approvals.get',
    title: 'Get an approval',
    hint: 'See whether a requested approval was decided, before the answer is sent again.',
  },
  {
    name: 'undo_answer',
    operation: 'sessions.steps.undoDecision',
    title: 'Undo the last answer',
    hint: 'Go back one step.',
    isDestructive: true,
  },
  {
    name: 'start_subflow',
    operation: 'sessions.subflows.start',
    title: 'Start a sub-flow',
    hint: 'Start the flow that the current step runs. Complete its run to continue.',
  },
  {
    name: 'complete_run',
    operation: 'sessions.steps.complete',
    title: 'Complete a run',
    hint: 'End a run with its outcome.',
    isDestructive: true,
  },
  {
    name: 'export_run',
    operation: 'sessions.exports.export',
    title: 'Export a run',
    hint: 'Get what was done as a note for the ticket.',
    fixed: { format: 'ticket-note' },
  },

  {
    name: 'list_boards',
    operation: 'psa.tickets.listBoards',
    title: 'List ticket boards',
    hint: 'List the boards of the ticketing system.',
  },
  {
    name: 'search_tickets',
    operation: 'psa.tickets.search',
    title: 'Search tickets',
    hint: 'Find open tickets.',
  },
  {
    name: 'get_ticket_context',
    operation: 'psa.tickets.getContext',
    title: 'Get the context of a ticket',
    hint: 'Read a ticket with its company, contact, devices, notes and related tickets.',
  },
  {
    name: 'list_ticket_statuses',
    operation: 'psa.tickets.listStatuses',
    title: 'List ticket statuses',
    hint: 'List the statuses of a board, before a ticket is changed.',
  },
  {
    name: 'update_ticket',
    operation: 'psa.tickets.update',
    title: 'Change a ticket',
    hint: 'Change the status, the board or the assigned member of a ticket.',
    isDestructive: true,
  },
  {
    name: 'add_ticket_note',
    operation: 'psa.pushes.createNote',
    title: 'Add a note to a ticket',
    hint: 'Add a note that technicians or also the client see.',
  },
  {
    name: 'create_ticket',
    operation: 'psa.pushes.createTicket',
    title: 'Create a ticket from a run',
    hint: 'Create the ticket of a run that has none.',
  },

  {
    name: 'start_diagnosis',
    operation: 'ai.turns.createSession',
    title: 'Start a diagnosis',
    hint: 'Start an AI session about a problem.',
  },
  {
    name: 'send_diagnosis_message',
    operation: 'ai.turns.sendMessage',
    title: 'Continue a diagnosis',
    hint: 'Send a message of a chat session.',
  },
  {
    name: 'answer_diagnosis_step',
    operation: 'ai.turns.respondToStep',
    title: 'Answer a diagnosis step',
    hint: 'Answer the step of a guided session.',
  },
  {
    name: 'list_diagnoses',
    operation: 'ai.sessions.list',
    title: 'List diagnoses',
    hint: 'Find AI sessions, for example of a ticket.',
  },
  {
    name: 'get_diagnosis',
    operation: 'ai.sessions.get',
    title: 'Get a diagnosis',
    hint: 'Read an AI session with its triage and tasks.',
  },
  {
    name: 'read_diagnosis_messages',
    operation: 'ai.turns.listMessages',
    title: 'Read messages',
    hint: 'Read the conversation of an AI session.',
  },
  {
    name: 'escalate_diagnosis',
    operation: 'ai.handoffs.escalate',
    title: 'Escalate a diagnosis',
    hint: 'Hand an AI session over to a colleague with all that is known. People are notified.',
    isDestructive: true,
  },
  {
    name: 'list_on_call',
    operation: 'oncall.schedules.listOnCall',
    title: 'List who is on call',
    hint: 'Find the colleague to turn to now, before escalating.',
  },
  {
    name: 'list_escalations',
    operation: 'ai.escalations.listQueue',
    title: 'List escalations',
    hint: 'List what waits for a colleague.',
  },
  {
    name: 'resolve_diagnosis',
    operation: 'ai.sessions.resolve',
    title: 'Resolve a diagnosis',
    hint: 'End an AI session as resolved.',
    isDestructive: true,
  },

  {
    name: 'get_team_analytics',
    operation: 'analytics.getTeam',
    title: 'Get team analytics',
    hint: 'How many sessions, how many resolved, how fast.',
  },
  {
    name: 'list_flow_analytics',
    operation: 'analytics.listFlows',
    title: 'List flow analytics',
    hint: 'Which flows are used and completed.',
  },
  {
    name: 'get_flow_health',
    operation: 'flows.health.get',
    title: 'Get the health of a flow',
    hint: 'What to improve in a flow, with metrics.',
  },
  {
    name: 'get_flow_analytics',
    operation: 'analytics.getFlow',
    title: 'Get analytics of a flow',
    hint: 'Where runs of a flow stop.',
  },
  {
    name: 'get_escalation_analytics',
    operation: 'analytics.getEscalations',
    title: 'Get escalation analytics',
    hint: 'How fast escalations are picked up.',
  },
]

/**
 * The scopes with which the tools read, of each subject alone. A program without a wish asks for these, and for
 * more when a tool needs it:
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-selection-strategy
 */
export const readingScopes: readonly string[] = [
  ...new Set(tools.map(({ operation }) => `${operation.split('.')[0]}:read`)),
].toSorted()
