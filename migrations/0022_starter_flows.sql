-- The flows that ship with the service, for every account to read, run and fork. The platform account owns them and the service account
-- is their author. Their steps are in no library: a library belongs to an account. Later versions come with later migrations.
create function app.add_starter_flow(
  p_id uuid, p_type text, p_name text, p_description text, p_category uuid, p_tags text[], p_form jsonb, p_structure jsonb) returns void
language sql set search_path = public, pg_temp as $$
  insert into trees (id, account_id, author_id, tree_type, status, visibility, name, description, category_id, tags, published_at)
    values (p_id, app.platform_account(), app.service_user(), p_type, 'published', 'public', p_name, p_description, p_category, p_tags, app.now());
  insert into tree_versions (account_id, tree_id, version, status, name, description, category, tree_type, tree_structure, intake_form, saved_by)
    select app.platform_account(), p_id, 1, 'published', p_name, p_description, c.name, p_type, p_structure, p_form, app.service_user()
      from categories c where c.account_id = app.platform_account() and c.id = p_category
$$;

insert into categories (id, account_id, name, created_by) values
  ('00000000-0000-7000-8000-000000000401', app.platform_account(), 'Printing', app.service_user()),
  ('00000000-0000-7000-8000-000000000402', app.platform_account(), 'Network', app.service_user()),
  ('00000000-0000-7000-8000-000000000403', app.platform_account(), 'Workstations', app.service_user()),
  ('00000000-0000-7000-8000-000000000404', app.platform_account(), 'Identity', app.service_user()),
  ('00000000-0000-7000-8000-000000000405', app.platform_account(), 'Mail', app.service_user()),
  ('00000000-0000-7000-8000-000000000406', app.platform_account(), 'User lifecycle', app.service_user()),
  ('00000000-0000-7000-8000-000000000407', app.platform_account(), 'Servers', app.service_user());

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000101', 'troubleshooting', 'Printer offline',
  'A network printer shows as offline, or jobs wait in the queue and nothing comes out. Finds out whether the PC, the network, the print server or the printer itself is at fault. Takes 5 to 20 minutes.',
  '00000000-0000-7000-8000-000000000401', '{printer,windows,network}',
  $form$
[
 { "key": "printer_name", "label": "Name of the printer as the user sees it", "type": "text", "required": true, "max": 200, "help_text": "Settings, Bluetooth & devices, Printers & scanners." },
 { "key": "printer_ip", "label": "Address of the printer", "type": "ip", "required": true, "help_text": "On the printer's panel under Network, or on its printed configuration page." },
 { "key": "affected", "label": "Who cannot print?", "type": "select", "required": true, "options": ["One user", "Everybody who uses this printer"], "help_text": "Ask a colleague nearby to print a page; do not guess." }
]
$form$,
  $flow$
{
 "id": "scope",
 "type": "decision",
 "title": "Is {{printer_name}} offline for one user or for everybody?",
 "description": "Reported: {{affected}}. Have a second person print a page before you choose. It saves more time than any command below.",
 "options": [{ "id": "one-user", "label": "One user", "next_node_id": "pc-port" }, { "id": "everybody", "label": "Everybody", "next_node_id": "panel" }],
 "children": [
  {
   "id": "pc-port",
   "type": "decision",
   "title": "Does the user's PC reach {{printer_ip}} on port 9100?",
   "description": "On the user's PC:\n\n```powershell\nTest-NetConnection {{printer_ip}} -Port 9100\n```\n\n`TcpTestSucceeded : True` means that the network is fine and the fault is on this PC. `False` beside a warning that the connection failed means that the PC does not get through. A printer set up for IPP alone listens on 631: try that port before you choose No.",
   "options": [
    { "id": "true-the-port-answers", "label": "True: the port answers", "next_node_id": "pc-queue" },
    { "id": "false-no-connection", "label": "False: no connection", "next_node_id": "pc-network" }
   ],
   "children": [
    {
     "id": "pc-queue",
     "type": "decision",
     "title": "How does Windows see the printer?",
     "description": "On the user's PC:\n\n```powershell\nGet-CimInstance Win32_Printer -Filter \"Name='{{printer_name}}'\" | Select-Object Name, WorkOffline, PortName\nGet-PrinterPort | Select-Object Name, PrinterHostAddress\n```\n\nThe first should print `WorkOffline : False` and a port name. Find this port in the second list: `PrinterHostAddress` should be {{printer_ip}}. A port whose name begins with `WSD` has no address of its own and often loses the printer. A printer shared by a server has a name like `\\\\server\\printer` and no local address; take the last option.",
     "options": [
      { "id": "workoffline-is-true", "label": "WorkOffline is True", "next_node_id": "pc-online" },
      { "id": "another-address-or-a-wsd-port", "label": "Another address, or a WSD port", "next_node_id": "pc-new-port" },
      { "id": "both-are-right", "label": "Both are right", "next_node_id": "pc-spooler" }
     ],
     "children": [
      {
       "id": "pc-online",
       "type": "action",
       "title": "Take the printer out of offline mode",
       "description": "Open the printer's queue window, menu Printer, and untick **Use Printer Offline** and **Pause Printing**. Waiting jobs start within a few seconds. Run the query again: it should now print `WorkOffline : False`.",
       "next_node_id": "pc-online-done",
       "children": [
        {
         "id": "pc-online-done",
         "type": "solution",
         "title": "The printer had been set to work offline",
         "description": "Print a test page from Printer properties. Confirm that the page is in the tray, that the queue is empty and that the user's own document prints."
        }
       ]
      },
      {
       "id": "pc-new-port",
       "type": "action",
       "title": "Give the printer a TCP/IP port with {{printer_ip}}",
       "description": "In an elevated PowerShell on the user's PC:\n\n```powershell\nAdd-PrinterPort -Name 'IP_{{printer_ip}}' -PrinterHostAddress '{{printer_ip}}'\nSet-Printer -Name '{{printer_name}}' -PortName 'IP_{{printer_ip}}'\n```\n\nNeither prints anything when it worked. \"The specified port already exists\" is harmless: run the second line alone.",
       "next_node_id": "pc-new-port-done",
       "children": [
        {
         "id": "pc-new-port-done",
         "type": "solution",
         "title": "The PC was printing to an old address",
         "description": "Confirm that `Get-Printer -Name '{{printer_name}}'` shows the port `IP_{{printer_ip}}` and that a test page comes out. Then ask why the address changed: without a reservation in DHCP it will change again."
        }
       ]
      },
      {
       "id": "pc-spooler",
       "type": "action",
       "title": "Empty the queue and restart the spooler",
       "description": "This deletes every waiting job on this PC. Tell the user first. Elevated:\n\n```powershell\nStop-Service Spooler -Force\nRemove-Item \"$env:SystemRoot\\System32\\spool\\PRINTERS\\*\" -Force\nStart-Service Spooler\nGet-Service Spooler\n```\n\nThe last line should print `Running`. If the service stops again within a minute, a broken driver is crashing it.",
       "next_node_id": "pc-prints",
       "children": [
        {
         "id": "pc-prints",
         "type": "decision",
         "title": "Does a test page come out now?",
         "description": "Printer properties, General, **Print Test Page**. Wait a full minute: a sleeping printer needs it.",
         "options": [{ "id": "yes", "label": "Yes", "next_node_id": "pc-spooler-done" }, { "id": "no", "label": "No", "next_node_id": "pc-driver" }],
         "children": [
          {
           "id": "pc-spooler-done",
           "type": "solution",
           "title": "A stuck job had blocked the queue",
           "description": "Confirm that the user's own document prints and that the queue is empty afterwards. If the same document blocks it again, have it saved as PDF and printed from there."
          },
          {
           "id": "pc-driver",
           "type": "action",
           "title": "Remove the printer with its driver and add it again",
           "description": "Remove the printer in Settings. Then open `printui /s /t2`, choose its driver, **Remove**, **Remove driver and driver package**. Add the printer by address {{printer_ip}} with the model's current driver. If Windows says that the driver is in use, restart the spooler and try once more.",
           "next_node_id": "pc-driver-done",
           "children": [
            {
             "id": "pc-driver-done",
             "type": "solution",
             "title": "The driver was broken",
             "description": "Confirm that the test page and the user's own document both print, in the right paper size and with both sides as before. Note the driver's version in {{ticket_number}}."
            }
           ]
          }
         ]
        }
       ]
      }
     ]
    },
    {
     "id": "pc-network",
     "type": "decision",
     "title": "Is the PC on the same network as the printer?",
     "description": "```powershell\nGet-NetIPConfiguration | Select-Object InterfaceAlias, IPv4Address, IPv4DefaultGateway\n```\n\nCompare with {{printer_ip}}. Guest Wi-Fi, a phone's hotspot and a VPN without split tunnelling are the usual reasons for another network. An address that begins with `169.254.` means that the PC got none from DHCP.",
     "options": [
      { "id": "another-network", "label": "Another network", "next_node_id": "pc-move" },
      { "id": "the-right-network", "label": "The right network", "next_node_id": "pc-firewall" }
     ],
     "children": [
      {
       "id": "pc-move",
       "type": "solution",
       "title": "Bring the PC back to the office network",
       "description": "Connect the cable or the company Wi-Fi and disconnect the VPN if the printer is local. Confirm that `Test-NetConnection {{printer_ip}} -Port 9100` now prints `TcpTestSucceeded : True`, and that a page comes out."
      },
      {
       "id": "pc-firewall",
       "type": "action",
       "title": "Look at what blocks the PC",
       "description": "1. `Get-NetConnectionProfile` should print `NetworkCategory : DomainAuthenticated` or `Private`. `Public` blocks much; set it with `Set-NetConnectionProfile -InterfaceAlias 'NAME' -NetworkCategory Private`. On a domain PC find out why it does not see the domain instead.\n2. Look in the endpoint protection's log for blocked connections to {{printer_ip}}.\n3. Ask whether the switch port or VLAN of this desk was changed.",
       "next_node_id": "pc-firewall-done",
       "children": [
        {
         "id": "pc-firewall-done",
         "type": "solution",
         "title": "Something between the PC and the printer blocked the port",
         "description": "Confirm that `Test-NetConnection {{printer_ip}} -Port 9100` prints `TcpTestSucceeded : True` and that the user's document prints. Do not leave a firewall switched off for that: allow the one port."
        }
       ]
      }
     ]
    }
   ]
  },
  {
   "id": "panel",
   "type": "decision",
   "title": "What does the printer's own panel show?",
   "description": "Somebody has to stand in front of it. A printer that sleeps wakes with a key press and is not at fault.",
   "options": [
    { "id": "an-error-paper-toner-cover-jam", "label": "An error: paper, toner, cover, jam", "next_node_id": "panel-error" },
    { "id": "nothing-at-all-no-lights", "label": "Nothing at all, no lights", "next_node_id": "panel-dark" },
    { "id": "ready", "label": "Ready", "next_node_id": "all-ping" }
   ],
   "children": [
    {
     "id": "panel-error",
     "type": "solution",
     "title": "Clear what the panel asks for",
     "description": "Clear the jam along the whole paper path, reseat the tray and the toner, close every cover. Confirm that the panel shows Ready, that a page printed from the panel comes out, and that a waiting job follows by itself. The same jam twice in a day needs the printer's service."
    },
    {
     "id": "panel-dark",
     "type": "solution",
     "title": "Restore power",
     "description": "Try the socket with another device, then the power cable, then the switch at the back. Wait two minutes for it to start. Confirm that the panel shows Ready and that a colleague's page prints. If it stays dark on a good socket, the power supply is dead: order the service."
    },
    {
     "id": "all-ping",
     "type": "decision",
     "title": "Does {{printer_ip}} answer a ping?",
     "description": "From any PC in the office:\n\n```powershell\nping -n 4 {{printer_ip}}\narp -a {{printer_ip}}\n```\n\n`Reply from {{printer_ip}}` is good. `Request timed out` or `Destination host unreachable` is not. In the same network the second line shows the hardware address that answers: compare it with the label on the printer, since two devices may be using this address.",
     "options": [
      { "id": "replies-from-the-right-device", "label": "Replies, from the right device", "next_node_id": "all-server" },
      { "id": "no-reply-or-from-another-device", "label": "No reply, or from another device", "next_node_id": "all-link" }
     ],
     "children": [
      {
       "id": "all-server",
       "type": "decision",
       "title": "Do people print through a print server, and does it run?",
       "description": "On the print server:\n\n```powershell\nGet-Service Spooler\nGet-PrintJob -PrinterName '{{printer_name}}' | Select-Object -First 5 Id, JobStatus, SubmittedTime\n```\n\n`Running` and an empty list are healthy. A first job with `Error` or `Retained` that is hours old blocks all others.",
       "options": [
        { "id": "stopped-or-an-old-job-blocks", "label": "Stopped, or an old job blocks", "next_node_id": "server-spooler" },
        { "id": "running-nothing-blocks", "label": "Running, nothing blocks", "next_node_id": "server-snmp" },
        { "id": "no-print-server-people-print-directly", "label": "No print server, people print directly", "next_node_id": "direct" }
       ],
       "children": [
        {
         "id": "server-spooler",
         "type": "action",
         "title": "Delete the blocking job and restart the server's spooler",
         "description": "Every printer of this server pauses for about ten seconds.\n\n```powershell\nGet-PrintJob -PrinterName '{{printer_name}}' | Where-Object JobStatus -match 'Error' | Remove-PrintJob\nRestart-Service Spooler -Force\nGet-Service Spooler\n```\n\nShould end with `Running`.",
         "next_node_id": "server-spooler-done",
         "children": [
          {
           "id": "server-spooler-done",
           "type": "solution",
           "title": "The print server's queue was blocked",
           "description": "Confirm that the waiting jobs of two different users come out and that the spooler is still `Running` five minutes later. If it has stopped again, look for event 7031 of the Service Control Manager in the System log and escalate."
          }
         ]
        },
        {
         "id": "server-snmp",
         "type": "action",
         "title": "Switch off the SNMP status of the port",
         "description": "Windows shows a printer as offline when it does not answer SNMP, though it would print. On the print server: Print Management, Ports, the printer's port, **Configure Port**, untick **SNMP Status Enabled**, OK. The status changes within a minute.",
         "next_node_id": "server-snmp-done",
         "children": [
          {
           "id": "server-snmp-done",
           "type": "solution",
           "title": "The port judged the printer by SNMP",
           "description": "Confirm that the printer shows as ready on the server and on two PCs, and that a page prints from each."
          }
         ]
        },
        {
         "id": "direct",
         "type": "action",
         "title": "Restart the printer and print to it directly",
         "description": "Switch the printer off, wait 30 seconds, switch it on. When it is ready:\n\n```powershell\nTest-NetConnection {{printer_ip}} -Port 9100\n```\n\nShould print `TcpTestSucceeded : True`. If it prints `False` after the restart, open `https://{{printer_ip}}` and see whether raw printing (port 9100) has been switched off.",
         "next_node_id": "direct-done",
         "children": [
          {
           "id": "direct-done",
           "type": "solution",
           "title": "The printer's network service had hung",
           "description": "Confirm that two users can print. If it hangs again within a week, bring its firmware up to date."
          }
         ]
        }
       ]
      },
      {
       "id": "all-link",
       "type": "decision",
       "title": "What do the network socket and the printer's network page show?",
       "description": "Look at the lights beside the cable, and at Network, TCP/IP on the panel.",
       "options": [
        { "id": "no-light", "label": "No light", "next_node_id": "all-cable" },
        {
         "id": "light-but-an-address-other-than-it",
         "label": "Light, but an address other than {{printer_ip}}",
         "next_node_id": "all-address"
        },
        { "id": "light-and-the-right-address", "label": "Light, and the right address", "next_node_id": "all-vlan" }
       ],
       "children": [
        {
         "id": "all-cable",
         "type": "action",
         "title": "Reseat the cable, then swap it",
         "description": "Push in both ends until they click. Then another cable, then another wall socket that you know to work. The light should come on within ten seconds. On a printer with Wi-Fi, check that the cable is what it is set to use.",
         "next_node_id": "all-cable-done",
         "children": [
          {
           "id": "all-cable-done",
           "type": "solution",
           "title": "The printer had no network link",
           "description": "Confirm that `ping {{printer_ip}}` answers and that a page prints from a colleague's PC. Throw the broken cable away."
          }
         ]
        },
        {
         "id": "all-address",
         "type": "action",
         "title": "Give the printer its address back",
         "description": "Make a reservation of {{printer_ip}} for the printer's hardware address on the DHCP server, and restart the printer. If another device holds the address now, find it by its hardware address first and release it there.",
         "next_node_id": "all-address-done",
         "children": [
          {
           "id": "all-address-done",
           "type": "solution",
           "title": "The printer had another address",
           "description": "Confirm that the panel shows {{printer_ip}}, that `ping {{printer_ip}}` answers and that two users can print. Write the reservation into the network's documentation."
          }
         ]
        },
        {
         "id": "all-vlan",
         "type": "solution",
         "title": "Escalate to the network team",
         "description": "Link and address are right and nothing answers, so suspect the VLAN of the switch port or a duplicate address. Hand over {{printer_ip}}, the hardware address, and the number of the wall socket. Confirm that the network team has accepted {{ticket_number}}, and after the fix that a page prints for two users."
        }
       ]
      }
     ]
    }
   ]
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000102', 'troubleshooting', 'VPN drops or does not connect',
  'A remote user''s VPN disconnects, is unstable or does not come up. Separates the user''s own line from the gateway and from sign-in. Works for most IPsec and TLS clients.',
  '00000000-0000-7000-8000-000000000402', '{vpn,remote,windows,network}',
  $form$
[
 { "key": "user_name", "label": "User", "type": "text", "required": true, "max": 200, "help_text": "As the VPN knows them." },
 { "key": "vpn_gateway", "label": "Name of the VPN gateway", "type": "hostname", "required": true, "help_text": "As the client is configured with it, for example vpn.client.example." },
 { "key": "gateway_port", "label": "TCP port of the gateway", "type": "number", "default": 443, "min": 1, "max": 65535, "help_text": "443 for most TLS VPNs. IPsec uses UDP 500 and 4500, which this test cannot see.", "required": false }
]
$form$,
  $flow$
{
 "id": "who",
 "type": "decision",
 "title": "Is it {{user_name}} alone, or several people?",
 "description": "Look at the gateway's list of sessions, or ask two other remote people. Several at the same minute is never the users' Wi-Fi.",
 "options": [{ "id": "one-person", "label": "One person", "next_node_id": "line" }, { "id": "several", "label": "Several", "next_node_id": "gateway" }],
 "children": [
  {
   "id": "line",
   "type": "decision",
   "title": "Is the user's internet line stable without the VPN?",
   "description": "VPN disconnected, on the user's PC:\n\n```powershell\nping -n 50 1.1.1.1\n```\n\nThe last lines should print `Lost = 0 (0% loss)` and an average below 60 ms. More than 1 % loss, or a maximum ten times the average, breaks most VPNs. On macOS and Linux: `ping -c 50 1.1.1.1`.",
   "options": [
    { "id": "loss-or-wild-times", "label": "Loss, or wild times", "next_node_id": "wifi" },
    { "id": "clean", "label": "Clean", "next_node_id": "pattern" }
   ],
   "children": [
    {
     "id": "wifi",
     "type": "decision",
     "title": "Does the loss go away on a cable?",
     "description": "If there is no cable, have the user stand beside the router. On Windows:\n\n```powershell\nnetsh wlan show interfaces\n```\n\n`Signal` should be above 70 %, and `Radio type` 802.11n or newer. Then repeat the 50 pings.",
     "options": [
      { "id": "yes-clean-on-the-cable", "label": "Yes, clean on the cable", "next_node_id": "wifi-done" },
      { "id": "no-still-loss", "label": "No, still loss", "next_node_id": "isp" }
     ],
     "children": [
      {
       "id": "wifi-done",
       "type": "solution",
       "title": "The user's Wi-Fi was the cause",
       "description": "Let the user stay on the cable, or use the 5 GHz network closer to the router. Confirm that 50 pings to 1.1.1.1 lose none and that the VPN stays up for 15 minutes of normal work."
      },
      {
       "id": "isp",
       "type": "action",
       "title": "Rule out the router, then go to the provider",
       "description": "1. Restart the router and the modem: off for 30 seconds.\n2. Ping the router itself: `ping -n 50` to the address that `ipconfig` prints as Default Gateway. Loss there is the router or the cable; no loss there, but to 1.1.1.1, is the provider.\n3. Stop uploads and cloud backups while you measure.",
       "next_node_id": "isp-done",
       "children": [
        {
         "id": "isp-done",
         "type": "solution",
         "title": "The line at the user's place is at fault",
         "description": "Hand the user both results for their provider, and a phone's hotspot to go on working. Confirm that the VPN stays up for 15 minutes over the hotspot: that proves that nothing of ours is broken."
        }
       ]
      }
     ]
    },
    {
     "id": "pattern",
     "type": "decision",
     "title": "When does it drop?",
     "description": "Read the client's log for the time and reason of the last three drops. Use the log, not memory.",
     "options": [
      { "id": "after-the-same-time-each-time", "label": "After the same time each time", "next_node_id": "timeout" },
      { "id": "after-standby-or-when-the-pc-sits-idle", "label": "After standby, or when the PC sits idle", "next_node_id": "sleep" },
      { "id": "in-the-middle-of-large-transfers-or-call", "label": "In the middle of large transfers or calls", "next_node_id": "mtu" },
      { "id": "it-does-not-connect-at-all", "label": "It does not connect at all", "next_node_id": "connect" }
     ],
     "children": [
      {
       "id": "timeout",
       "type": "decision",
       "title": "Is it a limit of the gateway?",
       "description": "Compare the interval with the gateway's idle timeout, maximum session length and rekey time. Usual values are 30 minutes, 8 hours, 12 hours and 24 hours.",
       "options": [
        {
         "id": "it-equals-an-idle-timeout-or-session-len",
         "label": "It equals an idle timeout or session length",
         "next_node_id": "timeout-limit"
        },
        { "id": "it-equals-the-rekey-time", "label": "It equals the rekey time", "next_node_id": "timeout-rekey" },
        { "id": "it-matches-neither", "label": "It matches neither", "next_node_id": "timeout-router" }
       ],
       "children": [
        {
         "id": "timeout-limit",
         "type": "solution",
         "title": "The gateway ends the session on purpose",
         "description": "That is a policy: explain it to {{user_name}}, or have the account's owner approve another value and set it. Confirm that the session outlives the old limit and that the log shows no disconnect at that time."
        },
        {
         "id": "timeout-rekey",
         "type": "solution",
         "title": "The two sides disagree when they renew keys",
         "description": "Set the same phase 1 and phase 2 lifetimes and the same perfect forward secrecy group on gateway and client profile. Confirm that the log shows a completed rekey, and that the tunnel passes traffic ten minutes after it."
        },
        {
         "id": "timeout-router",
         "type": "solution",
         "title": "A device on the way forgets the connection",
         "description": "Home routers drop quiet UDP after 30 to 300 seconds. Switch on the client's keep-alive or dead peer detection at 20 seconds, and NAT traversal. Confirm that the tunnel survives 20 quiet minutes: afterwards a ping to an internal server answers at the first try."
        }
       ]
      },
      {
       "id": "sleep",
       "type": "action",
       "title": "Stop Windows from switching the adapter off",
       "description": "Device Manager, Network adapters, the adapter in use, Power Management: untick **Allow the computer to turn off this device to save power**. Then:\n\n```powershell\npowercfg /a\n```\n\n`Standby (S0 Low Power Idle) Network Connected` among the available states keeps the network during standby; `Network Disconnected` drops it, and then the VPN has to reconnect after waking. Switch on automatic reconnect in the client.",
       "next_node_id": "sleep-done",
       "children": [
        {
         "id": "sleep-done",
         "type": "solution",
         "title": "Power saving cut the network",
         "description": "Confirm that after ten idle minutes, and after one standby of two minutes, the VPN is up or comes back without a click."
        }
       ]
      },
      {
       "id": "mtu",
       "type": "action",
       "title": "Find the largest packet that passes",
       "description": "With the VPN disconnected:\n\n```powershell\nping -f -l 1472 {{vpn_gateway}}\nping -f -l 1412 {{vpn_gateway}}\nping -f -l 1372 {{vpn_gateway}}\n```\n\nThe first size that prints `Reply from` passes; `Packet needs to be fragmented but DF set` means too large. If the gateway answers no ping at all, measure to 1.1.1.1 instead. 1472 is a clean line; 1412 and less are usual on mobile and satellite lines. macOS: `ping -D -s 1372`, Linux: `ping -M do -s 1372`. The tunnel's MTU is this size plus 28, less about 80 for the tunnel.",
       "next_node_id": "mtu-fits",
       "children": [
        {
         "id": "mtu-fits",
         "type": "decision",
         "title": "Do large transfers survive with a smaller MTU?",
         "description": "Elevated, with the name of the VPN adapter from `netsh interface ipv4 show subinterfaces`:\n\n```powershell\nnetsh interface ipv4 set subinterface \"VPN ADAPTER\" mtu=1300 store=persistent\n```\n\nIt prints `Ok.` Connect, and copy a file of 200 MB from an internal share.",
         "options": [
          { "id": "yes-the-copy-finishes", "label": "Yes, the copy finishes", "next_node_id": "mtu-done" },
          { "id": "no-it-still-drops", "label": "No, it still drops", "next_node_id": "mtu-other" }
         ],
         "children": [
          {
           "id": "mtu-done",
           "type": "solution",
           "title": "Packets were too large for the line",
           "description": "Set the same MTU (or MSS clamping) in the VPN profile, so that others on such lines get it too. Confirm that the copy of 200 MB finishes and that a call of five minutes holds over the VPN."
          },
          {
           "id": "mtu-other",
           "type": "solution",
           "title": "Hand over with a capture",
           "description": "Collect the client's log, a capture of one drop (`pktmon start --capture --file-name c:\\temp\\vpn.etl`, then `pktmon stop`) and the gateway's log of the same minute. Confirm that {{ticket_number}} holds all three with their time zones before you escalate to the network team."
          }
         ]
        }
       ]
      },
      {
       "id": "connect",
       "type": "decision",
       "title": "What does the client say?",
       "description": "Have the user read the message, or look into the log. Test the port meanwhile:\n\n```powershell\nResolve-DnsName {{vpn_gateway}}\nTest-NetConnection {{vpn_gateway}} -Port {{gateway_port}}\n```\n\nYou want an address from the first and `TcpTestSucceeded : True` from the second.",
       "options": [
        { "id": "sign-in-refused-or-no-mfa-prompt", "label": "Sign-in refused, or no MFA prompt", "next_node_id": "auth" },
        {
         "id": "time-out-gateway-not-found-port-closed",
         "label": "Time-out, gateway not found, port closed",
         "next_node_id": "blocked"
        },
        { "id": "certificate-error", "label": "Certificate error", "next_node_id": "certificate" }
       ],
       "children": [
        {
         "id": "auth",
         "type": "solution",
         "title": "Treat it as a sign-in problem",
         "description": "The tunnel works, the sign-in does not. Check that the account is active, the password not expired, that {{user_name}} is in the VPN group, and that the MFA method is one the person has at hand. Follow the flow for locked accounts. Confirm that {{user_name}} connects twice in a row and reaches an internal server."
        },
        {
         "id": "blocked",
         "type": "action",
         "title": "Find out what blocks the way",
         "description": "1. Try over a phone's hotspot. If that works, the network where the user sits blocks VPNs: hotels and guest Wi-Fi often do.\n2. If the name does not resolve, use another resolver: `Resolve-DnsName {{vpn_gateway}} -Server 1.1.1.1`.\n3. Look whether another VPN client, or an endpoint protection with a firewall of its own, was installed lately.",
         "next_node_id": "blocked-done",
         "children": [
          {
           "id": "blocked-done",
           "type": "solution",
           "title": "The way to the gateway was blocked",
           "description": "Use TLS on port 443 where the client offers it, or the hotspot. Confirm that `Test-NetConnection {{vpn_gateway}} -Port {{gateway_port}}` prints `TcpTestSucceeded : True` where the user works, and that the tunnel comes up."
          }
         ]
        },
        {
         "id": "certificate",
         "type": "solution",
         "title": "Repair the certificate, never click it away",
         "description": "Check the PC's clock first: more than five minutes off breaks every certificate. Then the gateway's certificate: expired, another name than {{vpn_gateway}}, or an issuer that the PC does not trust. Renew it or install the issuer. Confirm that the client connects without any warning, also after a restart."
        }
       ]
      }
     ]
    }
   ]
  },
  {
   "id": "gateway",
   "type": "decision",
   "title": "Does the gateway answer from outside?",
   "description": "From a line that is not the client's:\n\n```powershell\nTest-NetConnection {{vpn_gateway}} -Port {{gateway_port}}\n```\n\n`TcpTestSucceeded : True` means that it listens. For IPsec look at the firewall's own list of sessions instead.",
   "options": [{ "id": "no", "label": "No", "next_node_id": "site" }, { "id": "yes", "label": "Yes", "next_node_id": "capacity" }],
   "children": [
    {
     "id": "site",
     "type": "decision",
     "title": "Does anything else of that site answer from outside?",
     "description": "Try another published service, or the firewall's public address. Look at the provider's status page and at your monitoring.",
     "options": [
      { "id": "nothing-answers", "label": "Nothing answers", "next_node_id": "site-down" },
      { "id": "other-things-answer", "label": "Other things answer", "next_node_id": "gateway-down" }
     ],
     "children": [
      {
       "id": "site-down",
       "type": "solution",
       "title": "The site's internet line is down",
       "description": "Open a ticket with the provider, give the circuit number, and switch to the second line if there is one. Confirm that the gateway answers from outside again and that two users have connected, before you tell {{client_name}} that it is over."
      },
      {
       "id": "gateway-down",
       "type": "solution",
       "title": "The VPN service is down",
       "description": "Restart the VPN service, or fail over to the second unit, and keep the logs from before the restart. Confirm that `Test-NetConnection {{vpn_gateway}} -Port {{gateway_port}}` prints `TcpTestSucceeded : True` from outside and that two users stay connected for ten minutes."
      }
     ]
    },
    {
     "id": "capacity",
     "type": "decision",
     "title": "What has run out?",
     "description": "On the gateway look at sessions against licences, free addresses of the VPN pool, processor load, and the expiry date of its certificate.",
     "options": [
      { "id": "licences-or-addresses", "label": "Licences or addresses", "next_node_id": "pool" },
      { "id": "the-certificate-has-expired", "label": "The certificate has expired", "next_node_id": "gateway-certificate" },
      { "id": "nothing-of-these", "label": "Nothing of these", "next_node_id": "gateway-escalate" }
     ],
     "children": [
      {
       "id": "pool",
       "type": "solution",
       "title": "No licence or address was free",
       "description": "End sessions that have been idle for hours, then widen the pool or the licence, and shorten the idle timeout. Confirm that a new user connects and that at least a tenth of the pool is free."
      },
      {
       "id": "gateway-certificate",
       "type": "solution",
       "title": "The gateway's certificate had expired",
       "description": "Install the renewed certificate with its whole chain, and set a reminder 30 days before the next expiry. Confirm that a PC connects without a warning, and that `Test-NetConnection` still succeeds on port {{gateway_port}}."
      },
      {
       "id": "gateway-escalate",
       "type": "solution",
       "title": "Escalate with the facts",
       "description": "Note the first minute of the drops, how many are affected, what changed that day, and the gateway's log of that minute. Confirm that the network team has accepted {{ticket_number}}, and that the affected people know how they work in the meantime."
      }
     ]
    }
   ]
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000103', 'troubleshooting', 'Name does not resolve (DNS)',
  'A site, server or service cannot be found by its name. Finds out which link of the chain fails: the device''s own settings, its resolver, the zone, or the way between them.',
  '00000000-0000-7000-8000-000000000402', '{dns,network,windows,macos,linux}',
  $form$
[
 { "key": "failing_name", "label": "Name that does not resolve", "type": "hostname", "required": true, "help_text": "Without https:// and without a path." },
 { "key": "dns_server", "label": "DNS server that the device should use", "type": "ip", "required": true, "help_text": "In a domain this is a domain controller, never a public resolver." },
 { "key": "client_os", "label": "The device's system", "type": "select", "required": true, "options": ["Windows", "macOS", "Linux"], "default": "Windows" }
]
$form$,
  $flow$
{
 "id": "answer",
 "type": "decision",
 "title": "What does the expected server answer for {{failing_name}}?",
 "description": "On the affected device ({{client_os}}):\n\n```\nnslookup {{failing_name}} {{dns_server}}\n```\n\nGood is `Name:` with an `Address:` below it. `Non-existent domain` (NXDOMAIN) means that the server says there is no such name. `Server failed` (SERVFAIL) means that it could not find out. `Request timed out` or `no servers could be reached` means that nobody answered.",
 "options": [
  { "id": "an-address", "label": "An address", "next_node_id": "device" },
  { "id": "non-existent-domain", "label": "Non-existent domain", "next_node_id": "missing" },
  { "id": "server-failed", "label": "Server failed", "next_node_id": "servfail" },
  { "id": "no-answer", "label": "No answer", "next_node_id": "unreachable" }
 ],
 "children": [
  {
   "id": "device",
   "type": "decision",
   "title": "Which server does the device ask by itself?",
   "description": "- Windows: `Get-DnsClientServerAddress -AddressFamily IPv4`\n- macOS: `scutil --dns | grep nameserver`\n- Linux: `resolvectl status`, or `cat /etc/resolv.conf`\n\nIt should print {{dns_server}}. A public resolver such as 8.8.8.8 does not know internal names. Look at IPv6 too: a router that announces itself as DNS server over IPv6 is asked first.",
   "options": [
    { "id": "another-server", "label": "Another server", "next_node_id": "device-server" },
    { "id": "it-as-it-should", "label": "{{dns_server}}, as it should", "next_node_id": "device-cache" }
   ],
   "children": [
    {
     "id": "device-server",
     "type": "action",
     "title": "Let the device use {{dns_server}}",
     "description": "Set the adapter to automatic, or correct the DHCP option. On Windows, elevated:\n\n```powershell\nSet-DnsClientServerAddress -InterfaceAlias 'Ethernet' -ResetServerAddresses\nipconfig /renew\nClear-DnsClientCache\n```\n\nLinux with systemd: `sudo resolvectl revert eth0`. If DHCP hands out the wrong server, correct it in the scope: one device is only the first to complain.",
     "next_node_id": "device-server-done",
     "children": [
      {
       "id": "device-server-done",
       "type": "solution",
       "title": "The device asked the wrong server",
       "description": "Confirm that `nslookup {{failing_name}}` without a server prints `Address: {{dns_server}}` in its first lines and the right address below, and that the application opens."
      }
     ]
    },
    {
     "id": "device-cache",
     "type": "decision",
     "title": "Does the name resolve after the cache is emptied?",
     "description": "- Windows: `Clear-DnsClientCache`, then `Resolve-DnsName {{failing_name}}`\n- macOS: `sudo dscacheutil -flushcache; sudo killall -HUP mDNSResponder`, then `dscacheutil -q host -a name {{failing_name}}`\n- Linux: `sudo resolvectl flush-caches`, then `getent hosts {{failing_name}}`\n\nEach should print the same address as nslookup did. These ask the way applications do; nslookup skips the hosts file and the cache.",
     "options": [
      { "id": "yes-the-right-address", "label": "Yes, the right address", "next_node_id": "device-cache-done" },
      { "id": "another-address-or-still-none", "label": "Another address, or still none", "next_node_id": "device-hosts" },
      { "id": "yes-but-only-the-browser-fails", "label": "Yes, but only the browser fails", "next_node_id": "browser" }
     ],
     "children": [
      {
       "id": "device-cache-done",
       "type": "solution",
       "title": "An old answer was in the cache",
       "description": "Confirm that the application opens by name, and that it still does ten minutes later. If the record was changed today, tell others that the old address lives on for the record's TTL."
      },
      {
       "id": "device-hosts",
       "type": "action",
       "title": "Look for an override on the device",
       "description": "- Windows: `Get-Content $env:SystemRoot\\System32\\drivers\\etc\\hosts` and `Get-DnsClientNrptPolicy`\n- macOS and Linux: `cat /etc/hosts`; on macOS also `ls /etc/resolver`\n\nA line with {{failing_name}} in the hosts file wins over DNS. NRPT rules and files in /etc/resolver send single domains to another server; VPN and filter clients leave them behind. Remove what does not belong there, after noting it in {{ticket_number}}.",
       "next_node_id": "device-hosts-done",
       "children": [
        {
         "id": "device-hosts-done",
         "type": "solution",
         "title": "Something on the device answered instead of DNS",
         "description": "Confirm that the device prints the same address as `nslookup {{failing_name}} {{dns_server}}`, also after a restart, and that the application opens."
        }
       ]
      },
      {
       "id": "browser",
       "type": "solution",
       "title": "The browser uses a resolver of its own",
       "description": "Switch off DNS over HTTPS in the browser, or set it to the system's resolver, by policy if many are affected. Then look at its proxy settings. Confirm that the page opens in the browser after a restart of it, with a private window as the test."
      }
     ]
    }
   ]
  },
  {
   "id": "missing",
   "type": "decision",
   "title": "Does the rest of the world know {{failing_name}}?",
   "description": "```\nnslookup {{failing_name}} 1.1.1.1\n```\n\nCompare with what {{dns_server}} said. A name that ends in the client's internal domain is not known outside, and should not be.",
   "options": [
    { "id": "yes-a-public-resolver-has-it", "label": "Yes, a public resolver has it", "next_node_id": "split" },
    { "id": "no-and-it-is-a-public-name", "label": "No, and it is a public name", "next_node_id": "registrar" },
    { "id": "no-it-is-an-internal-name", "label": "No, it is an internal name", "next_node_id": "record" }
   ],
   "children": [
    {
     "id": "split",
     "type": "decision",
     "title": "Does {{dns_server}} hold a zone of the same domain?",
     "description": "On the DNS server:\n\n```powershell\nGet-DnsServerZone | Select-Object ZoneName, ZoneType\n```\n\nIf the domain of {{failing_name}} is in the list as `Primary`, the server believes that it knows every name in it and asks nobody else.",
     "options": [{ "id": "yes", "label": "Yes", "next_node_id": "split-record" }, { "id": "no", "label": "No", "next_node_id": "split-filter" }],
     "children": [
      {
       "id": "split-record",
       "type": "solution",
       "title": "Add the record to the internal zone",
       "description": "The internal zone hides the public one. Add the name there with the address that internal people should use. Confirm that `nslookup {{failing_name}} {{dns_server}}` prints it and that the site opens from inside and from outside."
      },
      {
       "id": "split-filter",
       "type": "solution",
       "title": "A filter or a stale negative answer hides the name",
       "description": "Run `Clear-DnsServerCache -Force` on the server, then look whether a DNS filter blocks the name and whether that is intended. Confirm that {{dns_server}} answers with the public address, and that the filter's log shows it as allowed."
      }
     ]
    },
    {
     "id": "registrar",
     "type": "solution",
     "title": "The public name is gone",
     "description": "Look at the registration with `whois` and at the name servers: expired domains and deleted records look the same from here. The domain's owner has to act. Confirm that `nslookup {{failing_name}} 1.1.1.1` prints the address once they did, and tell people that it may take an hour everywhere."
    },
    {
     "id": "record",
     "type": "decision",
     "title": "Is the record missing, or is the name wrong?",
     "description": "Ask for the full name, and look at the zone on the DNS server:\n\n```powershell\nGet-DnsServerResourceRecord -ZoneName 'corp.example' | Where-Object HostName -like '*part of the name*'\n```\n\nPrints the records that match; nothing means that there is none.",
     "options": [
      { "id": "the-record-is-missing", "label": "The record is missing", "next_node_id": "record-add" },
      {
       "id": "the-record-is-there-under-another-name",
       "label": "The record is there under another name",
       "next_node_id": "record-suffix"
      }
     ],
     "children": [
      {
       "id": "record-add",
       "type": "action",
       "title": "Create the record",
       "description": "Find out first whether it was deleted by scavenging: then the machine has not renewed it and will be lost again. On a Windows member run `ipconfig /registerdns`, and look again after five minutes. A server with a fixed address gets a static record by `Add-DnsServerResourceRecordA`.",
       "next_node_id": "record-add-done",
       "children": [
        {
         "id": "record-add-done",
         "type": "solution",
         "title": "The record was missing",
         "description": "Confirm that `nslookup {{failing_name}} {{dns_server}}` prints the address, that every other DNS server of the domain prints the same after replication, and that the service opens."
        }
       ]
      },
      {
       "id": "record-suffix",
       "type": "solution",
       "title": "The name was incomplete or misspelt",
       "description": "Correct the shortcut or the setting to the full name, or hand out the search suffix through DHCP or policy. Confirm that `nslookup` of the short name prints the full one, and that the application opens."
      }
     ]
    }
   ]
  },
  {
   "id": "servfail",
   "type": "decision",
   "title": "Does {{dns_server}} resolve other names?",
   "description": "```\nnslookup example.com {{dns_server}}\nnslookup {{failing_name}} 1.1.1.1\n```\n\nIf example.com fails too, the server cannot reach the world. If both servers fail for {{failing_name}} alone, the name's own DNS is broken.",
   "options": [
    { "id": "example-com-fails-too", "label": "example.com fails too", "next_node_id": "forwarders" },
    { "id": "only-it-on-both-servers", "label": "Only {{failing_name}}, on both servers", "next_node_id": "zone-broken" },
    { "id": "only-it-only-on-it", "label": "Only {{failing_name}}, only on {{dns_server}}", "next_node_id": "server-cache" }
   ],
   "children": [
    {
     "id": "forwarders",
     "type": "action",
     "title": "Repair the server's way out",
     "description": "On the DNS server:\n\n```powershell\nGet-DnsServerForwarder\nTest-NetConnection 1.1.1.1 -Port 53\n```\n\nThe first prints the forwarders, the second should print `TcpTestSucceeded : True`. Test each forwarder with `nslookup example.com` and its address. Replace dead ones, and allow port 53 over UDP and TCP to them in the firewall.",
     "next_node_id": "forwarders-done",
     "children": [
      {
       "id": "forwarders-done",
       "type": "solution",
       "title": "The server's forwarders were dead",
       "description": "Confirm that `nslookup example.com {{dns_server}}` and `nslookup {{failing_name}} {{dns_server}}` print addresses within a second, three times in a row."
      }
     ]
    },
    {
     "id": "zone-broken",
     "type": "solution",
     "title": "The other side's DNS is broken",
     "description": "Usually DNSSEC or a dead name server of the domain. Look at it with a public DNSSEC checker and tell the domain's owner. Confirm that the owner knows, and that {{ticket_number}} says what they promised; do not switch validation off."
    },
    {
     "id": "server-cache",
     "type": "solution",
     "title": "The server remembered a failure",
     "description": "Run `Clear-DnsServerCache -Force` on {{dns_server}}. If it comes back, look at conditional forwarders for that domain. Confirm that the name resolves now and again after an hour."
    }
   ]
  },
  {
   "id": "unreachable",
   "type": "decision",
   "title": "Can the device reach {{dns_server}} at all?",
   "description": "Windows:\n\n```powershell\nTest-NetConnection {{dns_server}} -Port 53\n```\n\nmacOS and Linux: `nc -vz {{dns_server}} 53`. `TcpTestSucceeded : True`, or `succeeded` or `open`, means that the port answers.",
   "options": [
    { "id": "yes-the-port-answers", "label": "Yes, the port answers", "next_node_id": "service-udp" },
    { "id": "no", "label": "No", "next_node_id": "path" }
   ],
   "children": [
    {
     "id": "service-udp",
     "type": "solution",
     "title": "TCP passes and UDP does not",
     "description": "Look for a firewall rule that allows TCP 53 alone, and restart the DNS service if the server's log shows it overloaded. Confirm that `nslookup {{failing_name}} {{dns_server}}` answers at the first try, five times in a row."
    },
    {
     "id": "path",
     "type": "decision",
     "title": "Does {{dns_server}} answer others?",
     "description": "Ask it from another device in another network.",
     "options": [{ "id": "yes", "label": "Yes", "next_node_id": "path-network" }, { "id": "no-nobody", "label": "No, nobody", "next_node_id": "dns-down" }],
     "children": [
      {
       "id": "path-network",
       "type": "solution",
       "title": "The device's way to the server is cut",
       "description": "Look at the VLAN, at the VPN (is the server's network routed into the tunnel?), and at the device's own firewall. Confirm that port 53 of {{dns_server}} answers from the device, and that the name resolves without naming a server."
      },
      {
       "id": "dns-down",
       "type": "action",
       "title": "Bring the DNS server back",
       "description": "On the server: `Get-Service DNS` should print `Running`; otherwise `Start-Service DNS` and read the DNS Server event log. If the machine itself is down, start it in the hypervisor. Meanwhile let DHCP hand out the second DNS server first.",
       "next_node_id": "dns-down-done",
       "children": [
        {
         "id": "dns-down-done",
         "type": "solution",
         "title": "The DNS server was down",
         "description": "Confirm that `nslookup {{failing_name}} {{dns_server}}` answers from two networks, that the second DNS server answers as well, and that every device has both. One server alone will be an outage again."
        }
       ]
      }
     ]
    }
   ]
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000104', 'troubleshooting', 'Slow PC',
  'A Windows PC is slow at start, all day, or in one application. Measures before anything is changed, so that the cause is found and not guessed.',
  '00000000-0000-7000-8000-000000000403', '{performance,windows,workstation}',
  $form$
[
 { "key": "computer_name", "label": "Name of the PC", "type": "hostname", "required": true, "help_text": "`hostname` in a command prompt prints it." },
 { "key": "since", "label": "Slow since when?", "type": "select", "required": true, "options": ["Today", "A few days", "Weeks or longer", "Always"], "help_text": "Today points to an update or a fault, always to the hardware." },
 { "key": "slow_example", "label": "One thing that takes too long, and how long", "type": "text", "required": true, "max": 300, "help_text": "In seconds, by the user's clock: \"opening a letter takes 40 seconds\". Without it nobody can tell afterwards whether it is better." }
]
$form$,
  $flow$
{
 "id": "when",
 "type": "decision",
 "title": "When is {{computer_name}} slow?",
 "description": "Slow since: {{since}}. The measure for everything below: {{slow_example}}. Whatever the answer is, look first how long it has been running:\n\n```powershell\n(Get-Date) - (Get-CimInstance Win32_OperatingSystem).LastBootUpTime | Select-Object Days, Hours\n```\n\nPrints the days and hours since the last restart. With Fast Startup, shutting down does not count as one. Above 14 days, use Restart once and measure again before you go on.",
 "options": [
  { "id": "all-the-time", "label": "All the time", "next_node_id": "resource" },
  { "id": "only-for-minutes-after-sign-in", "label": "Only for minutes after sign-in", "next_node_id": "startup" },
  { "id": "only-in-one-application", "label": "Only in one application", "next_node_id": "application" },
  { "id": "fine-since-the-restart", "label": "Fine since the restart", "next_node_id": "restart-done" }
 ],
 "children": [
  {
   "id": "resource",
   "type": "decision",
   "title": "Which resource is at its limit?",
   "description": "While it is slow:\n\n```powershell\n$names = '\\Processor(_Total)\\% Processor Time', '\\Memory\\Available MBytes', '\\PhysicalDisk(_Total)\\% Idle Time'\n(Get-Counter -Counter $names -SampleInterval 5 -MaxSamples 6).CounterSamples | Format-Table Path, CookedValue\n```\n\nSix readings over 30 seconds. Busy means: processor above 80, available memory below 500 MB, disk idle time below 20. The counters have translated names on a Windows in another language: use Task Manager, Performance, there.",
   "options": [
    { "id": "processor", "label": "Processor", "next_node_id": "cpu" },
    { "id": "memory", "label": "Memory", "next_node_id": "memory" },
    { "id": "disk", "label": "Disk", "next_node_id": "disk" },
    { "id": "none-of-them", "label": "None of them", "next_node_id": "none-busy" }
   ],
   "children": [
    {
     "id": "cpu",
     "type": "decision",
     "title": "Which process takes the processor?",
     "description": "```powershell\n$cores = (Get-CimInstance Win32_ComputerSystem).NumberOfLogicalProcessors\nGet-Counter '\\Process(*)\\% Processor Time' | Select-Object -Expand CounterSamples | Where-Object InstanceName -notin '_total', 'idle' | Sort-Object CookedValue -Descending | Select-Object -First 5 InstanceName, @{ n = 'Percent'; e = { [math]::Round($_.CookedValue / $cores) } }\n```\n\nPrints the five busiest with their share of the whole machine.",
     "options": [
      { "id": "virus-scanner-or-search-indexer", "label": "Virus scanner or search indexer", "next_node_id": "cpu-scan" },
      {
       "id": "windows-update-tiworker-mousocoreworker",
       "label": "Windows Update (TiWorker, MoUsoCoreWorker)",
       "next_node_id": "cpu-update"
      },
      { "id": "a-browser-or-an-office-program", "label": "A browser or an office program", "next_node_id": "cpu-app" },
      { "id": "something-unknown", "label": "Something unknown", "next_node_id": "cpu-unknown" }
     ],
     "children": [
      {
       "id": "cpu-scan",
       "type": "solution",
       "title": "A scan runs during working hours",
       "description": "Move the full scan to a time when the PC is on and unused. Exclude nothing without the security team. Confirm that the process falls below 5 % once the scan ends, and that the next one is scheduled outside working hours."
      },
      {
       "id": "cpu-update",
       "type": "action",
       "title": "Let the update finish, then repair it if it does not",
       "description": "Wait 30 minutes and restart. If the same process is busy again right after that, elevated:\n\n```powershell\nDISM /Online /Cleanup-Image /RestoreHealth\nsfc /scannow\n```\n\nThe first should end with `The operation completed successfully.`, the second with `did not find any integrity violations` or `successfully repaired them`.",
       "next_node_id": "cpu-update-done",
       "children": [
        {
         "id": "cpu-update-done",
         "type": "solution",
         "title": "An update had been stuck",
         "description": "Confirm that Windows Update shows **You're up to date**, and that the processor is below 20 % while nobody does anything."
        }
       ]
      },
      {
       "id": "cpu-app",
       "type": "solution",
       "title": "One program is the cause",
       "description": "Update it, switch its extensions and add-ins off one after another, and close tabs that play or refresh by themselves. Confirm that the processor stays below 50 % while the user does the same work again."
      },
      {
       "id": "cpu-unknown",
       "type": "action",
       "title": "Find out what it is before you end it",
       "description": "```powershell\nGet-Process -Name 'NAME' | Select-Object Id, Path, Company, StartTime\nGet-AuthenticodeSignature (Get-Process -Name 'NAME' | Select-Object -First 1).Path | Select-Object Status, SignerCertificate\n```\n\n`Status : Valid` and a known company are a good sign. A path below `AppData\\Local\\Temp` or no signature is a bad one: then take {{computer_name}} off the network, leave it running, and treat it as a security incident.",
       "next_node_id": "cpu-unknown-done",
       "children": [
        {
         "id": "cpu-unknown-done",
         "type": "solution",
         "title": "The process is known and dealt with",
         "description": "Remove the program, or have the security team take over. Confirm that it does not come back after a restart, and that {{ticket_number}} holds its path and its signature."
        }
       ]
      }
     ]
    },
    {
     "id": "memory",
     "type": "decision",
     "title": "Is one process growing, or is there simply too little memory?",
     "description": "```powershell\nGet-Process | Sort-Object WorkingSet64 -Descending | Select-Object -First 8 Name, @{ n = 'MB'; e = { [int]($_.WorkingSet64 / 1MB) } }\n(Get-CimInstance Win32_ComputerSystem).TotalPhysicalMemory / 1GB\n```\n\nThe second prints the memory in GB. Run the first again after ten minutes and compare.",
     "options": [
      { "id": "one-process-keeps-growing", "label": "One process keeps growing", "next_node_id": "memory-leak" },
      { "id": "many-programs-each-of-a-normal-size", "label": "Many programs, each of a normal size", "next_node_id": "memory-small" }
     ],
     "children": [
      {
       "id": "memory-leak",
       "type": "solution",
       "title": "A program does not give memory back",
       "description": "Update or replace it; restart it each day until then. Confirm that its memory is the same after an hour of work as after ten minutes."
      },
      {
       "id": "memory-small",
       "type": "solution",
       "title": "There is too little memory for this work",
       "description": "Less than 16 GB is tight for an office PC with calls and many tabs. Take unused programs out of startup, close what is not used, and order memory or a replacement. Confirm that more than 1 GB is available while the user has their usual programs open."
      }
     ]
    },
    {
     "id": "disk",
     "type": "decision",
     "title": "Is the disk healthy, full, or just slow by kind?",
     "description": "```powershell\nGet-PhysicalDisk | Select-Object FriendlyName, MediaType, HealthStatus\nGet-Volume -DriveLetter C | Select-Object SizeRemaining, Size\n```\n\n`HealthStatus` should be `Healthy`, `MediaType` should be `SSD`. Below 10 % free, Windows slows down.",
     "options": [
      { "id": "not-healthy", "label": "Not healthy", "next_node_id": "disk-failing" },
      { "id": "less-than-10-free", "label": "Less than 10 % free", "next_node_id": "disk-full" },
      { "id": "hdd", "label": "HDD", "next_node_id": "disk-hdd" },
      { "id": "healthy-ssd-with-free-space", "label": "Healthy SSD with free space", "next_node_id": "disk-busy" }
     ],
     "children": [
      {
       "id": "disk-failing",
       "type": "action",
       "title": "Save the data now",
       "description": "Stop every repair and defragmentation. Check when the last backup or synchronisation was, copy what is not in it, and replace the disk.",
       "next_node_id": "disk-failing-done",
       "children": [
        {
         "id": "disk-failing-done",
         "type": "solution",
         "title": "The disk was failing",
         "description": "Confirm that the user has opened three of their own files on the new disk, that `Get-PhysicalDisk` prints `Healthy`, and that the old disk is marked for destruction."
        }
       ]
      },
      {
       "id": "disk-full",
       "type": "action",
       "title": "Free space without losing anything",
       "description": "Settings, System, Storage, Cleanup recommendations. Then look for the large ones:\n\n```powershell\nGet-ChildItem C:\\Users -Recurse -File -Force -ErrorAction SilentlyContinue | Sort-Object Length -Descending | Select-Object -First 20 FullName, @{ n = 'MB'; e = { [int]($_.Length / 1MB) } }\n```\n\nPrints the twenty largest files. Ask the user before you delete any of them; cloud files can be set to **Free up space** instead.",
       "next_node_id": "disk-full-done",
       "children": [
        {
         "id": "disk-full-done",
         "type": "solution",
         "title": "The disk was full",
         "description": "Confirm that more than 15 % of C: is free, that the PC is quick after a restart, and that it is known what filled it."
        }
       ]
      },
      {
       "id": "disk-hdd",
       "type": "solution",
       "title": "A spinning disk is the limit",
       "description": "Replace it by an SSD, or the PC if it cannot run the current Windows. Until then switch off what starts with Windows. Confirm after the change that the time from sign-in to a usable desktop is below 30 seconds."
      },
      {
       "id": "disk-busy",
       "type": "solution",
       "title": "A program writes without pause",
       "description": "Resource Monitor, Disk, sorted by Total: it names the file and the process. Often it is a first synchronisation of cloud files or a search index being rebuilt. Confirm that the disk is idle for more than 80 % of the time once it is done."
      }
     ]
    },
    {
     "id": "none-busy",
     "type": "decision",
     "title": "Is the PC held back by heat, by its power plan, or by the network?",
     "description": "```powershell\npowercfg /getactivescheme\nGet-Counter '\\Processor Information(_Total)\\% Processor Performance' -MaxSamples 5\n```\n\nOn mains power the second should be near 100 or above under load. Values that stay below 60 mean throttling. If both look right, ask whether only files on servers and web pages are slow.",
     "options": [
      { "id": "it-stays-below-60", "label": "It stays below 60", "next_node_id": "throttled" },
      { "id": "only-servers-and-web-pages-are-slow", "label": "Only servers and web pages are slow", "next_node_id": "network-slow" },
      { "id": "neither", "label": "Neither", "next_node_id": "escalate" }
     ],
     "children": [
      {
       "id": "throttled",
       "type": "solution",
       "title": "The PC slows itself down",
       "description": "Use the charger that belongs to it (a weak one throttles), clean the fan and the vents, update the BIOS, and choose the Balanced plan or better. Confirm that processor performance stays above 90 for five minutes under load."
      },
      {
       "id": "network-slow",
       "type": "solution",
       "title": "It is the network, not the PC",
       "description": "Compare with a second PC on the same socket. Look at `Get-NetAdapter | Select-Object Name, LinkSpeed`: it should print 1 Gbps, not 100 Mbps. Confirm that a 500 MB file from the server copies as quickly as on a PC without the problem."
      },
      {
       "id": "escalate",
       "type": "solution",
       "title": "Hand over with measurements",
       "description": "Record a trace while it is slow: `wpr -start GeneralProfile`, work for a minute, `wpr -stop c:\\temp\\slow.etl`. Confirm that {{ticket_number}} holds the trace, the time of the slowness, and what has been ruled out above."
      }
     ]
    }
   ]
  },
  {
   "id": "startup",
   "type": "action",
   "title": "See what starts with Windows",
   "description": "Task Manager, Startup apps, sorted by impact; or:\n\n```powershell\nGet-CimInstance Win32_StartupCommand | Select-Object Name, Command, User\n```\n\nDisable updaters, chat tools that nobody uses, and manufacturers' assistants. Leave the security tools and drivers. Then restart and take the time from sign-in to a usable desktop.",
   "next_node_id": "startup-better",
   "children": [
    {
     "id": "startup-better",
     "type": "decision",
     "title": "Is the desktop usable within a minute of sign-in?",
     "description": "Take the time with a clock, after a Restart.",
     "options": [
      { "id": "yes", "label": "Yes", "next_node_id": "startup-done" },
      { "id": "no-and-the-desktop-itself-comes-late", "label": "No, and the desktop itself comes late", "next_node_id": "logon-script" },
      {
       "id": "no-the-desktop-is-there-but-everything-d",
       "label": "No, the desktop is there but everything drags",
       "next_node_id": "startup-disk"
      }
     ],
     "children": [
      {
       "id": "startup-done",
       "type": "solution",
       "title": "Too much started with Windows",
       "description": "Confirm that the same time is reached at the next sign-in, and that nothing the user needs is missing."
      },
      {
       "id": "logon-script",
       "type": "solution",
       "title": "Scripts, policies or dead drives delay the sign-in",
       "description": "Event Viewer, Microsoft-Windows-GroupPolicy/Operational: event 8001 tells how long the user's policies took. Remove mapped drives and printers that lead to servers which are gone. Confirm that the event now says less than 20 seconds."
      },
      {
       "id": "startup-disk",
       "type": "solution",
       "title": "The hardware is too slow for the start",
       "description": "Run the resource check of this flow during the first two minutes after sign-in; it is nearly always the disk. Confirm that the user knows what will be replaced and when, and that the time from sign-in is noted in {{ticket_number}} for comparison."
      }
     ]
    }
   ]
  },
  {
   "id": "application",
   "type": "decision",
   "title": "Is the application slow for others too?",
   "description": "Ask a colleague to do the same thing in it at the same minute.",
   "options": [
    { "id": "yes-for-others-too", "label": "Yes, for others too", "next_node_id": "app-server" },
    { "id": "no-only-on-it", "label": "No, only on {{computer_name}}", "next_node_id": "app-local" }
   ],
   "children": [
    {
     "id": "app-server",
     "type": "solution",
     "title": "The application's service is slow",
     "description": "Look at its status page and at its server, and bundle this ticket with the others. Confirm with two users that the same action is as quick as usual again before you close it."
    },
    {
     "id": "app-local",
     "type": "action",
     "title": "Repair the application on this PC",
     "description": "1. Start it without add-ins; for the office programs hold Ctrl while starting them.\n2. Clear its cache by its own menu.\n3. Repair it: Settings, Apps, Installed apps, Modify or Advanced options, Repair.\n4. Compare its version with the colleague's.",
     "next_node_id": "app-local-done",
     "children": [
      {
       "id": "app-local-done",
       "type": "solution",
       "title": "The application was damaged on this PC",
       "description": "Confirm that the slow action now takes as long as for the colleague, with the clock, and that the user's settings are still there."
      }
     ]
    }
   ]
  },
  {
   "id": "restart-done",
   "type": "solution",
   "title": "The restart was enough",
   "description": "Explain the difference between Restart and Shut down with Fast Startup. Confirm that what was slow ({{slow_example}}) is quick for 15 minutes of work, and look whether an update had been pending for a restart."
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000105', 'troubleshooting', 'Locked account or lost MFA',
  'Somebody cannot sign in: locked out, password expired, blocked, or the second factor is lost. Begins by proving who is asking, since this call is also how attackers get in.',
  '00000000-0000-7000-8000-000000000404', '{account,mfa,password,security}',
  $form$
[
 { "key": "user_upn", "label": "Sign-in name of the user", "type": "email", "required": true, "help_text": "The name they sign in with, which may differ from their mail address." },
 { "key": "directory", "label": "Where does the account live?", "type": "select", "required": true, "options": ["Microsoft Entra ID only", "Active Directory, synchronised to Entra ID", "Active Directory only"] },
 { "key": "callback_number", "label": "Phone number on file", "type": "text", "required": true, "pattern": "\\+?[0-9 ()/.-]{6,25}", "help_text": "From the personnel list or the account, never from the caller." }
]
$form$,
  $flow$
{
 "id": "identity",
 "type": "decision",
 "title": "Is it really the owner of {{user_upn}} who asks?",
 "description": "End the call and call back at {{callback_number}}. Do not use a number, a mail or a chat that the caller gives you. A manager whom you know may vouch in person or on a video call. Knowing birthday, address or staff number proves nothing.",
 "options": [
  { "id": "proved-by-call-back-or-in-person", "label": "Proved by call-back or in person", "next_node_id": "what" },
  { "id": "not-proved-or-in-a-strange-hurry", "label": "Not proved, or in a strange hurry", "next_node_id": "refuse" }
 ],
 "children": [
  {
   "id": "what",
   "type": "decision",
   "title": "What stops the sign-in?",
   "description": "In Entra ID: Users, {{user_upn}}, Sign-in logs, the newest failure. Its error code tells more than the user's description. In Active Directory:\n\n```powershell\nGet-ADUser -Filter \"UserPrincipalName -eq '{{user_upn}}'\" -Properties LockedOut, PasswordExpired, PasswordLastSet, Enabled, AccountExpirationDate\n```\n\nHealthy is `Enabled : True`, `LockedOut : False`, `PasswordExpired : False`, and an expiry date that is empty or lies ahead.",
   "options": [
    { "id": "locked-lockedout-true-or-code-50053", "label": "Locked (LockedOut True, or code 50053)", "next_node_id": "lock-source" },
    {
     "id": "password-wrong-or-expired-50126-50055-50",
     "label": "Password wrong or expired (50126, 50055, 50144)",
     "next_node_id": "password"
    },
    {
     "id": "mfa-cannot-be-completed-50074-50076-5001",
     "label": "MFA cannot be completed (50074, 50076, 500121)",
     "next_node_id": "mfa"
    },
    { "id": "disabled-or-blocked-50057-53003", "label": "Disabled or blocked (50057, 53003)", "next_node_id": "blocked" }
   ],
   "children": [
    {
     "id": "lock-source",
     "type": "decision",
     "title": "Does it lock again right after unlocking?",
     "description": "The account lives in: {{directory}}. For Active Directory find where the bad passwords come from first, on the PDC emulator:\n\n```powershell\nGet-WinEvent -FilterHashtable @{ LogName = 'Security'; Id = 4740 } -MaxEvents 20 | Select-Object TimeCreated, @{ n = 'User'; e = { $_.Properties[0].Value } }, @{ n = 'From'; e = { $_.Properties[1].Value } }\nGet-ADUser -Filter \"UserPrincipalName -eq '{{user_upn}}'\" | Unlock-ADAccount\n```\n\nThe first prints who was locked and from which device; the second prints nothing. Wait five minutes. Entra ID's own lock ends by itself after a minute or more; look at the IP addresses of the failures there.",
     "options": [
      { "id": "no-it-stays-unlocked", "label": "No, it stays unlocked", "next_node_id": "lock-once" },
      { "id": "yes-from-a-device-of-the-user", "label": "Yes, from a device of the user", "next_node_id": "lock-stale" },
      {
       "id": "yes-from-unknown-or-foreign-addresses",
       "label": "Yes, from unknown or foreign addresses",
       "next_node_id": "lock-attack"
      }
     ],
     "children": [
      {
       "id": "lock-once",
       "type": "solution",
       "title": "Mistyped, nothing more",
       "description": "Confirm that the user signs in at the PC and in the mail program, that the account is still unlocked after 15 minutes, and that the password did not have to be changed for it."
      },
      {
       "id": "lock-stale",
       "type": "action",
       "title": "Remove the old password where it is stored",
       "description": "On the device that the event names:\n\n- Windows: `cmdkey /list`, then `cmdkey /delete:TARGET`; look at mapped drives, scheduled tasks and services that run as the user.\n- Phone: remove and add the mail account and the Wi-Fi.\n- A second PC where the user is still signed in: sign out.\n\nThen unlock once more.",
       "next_node_id": "lock-stale-done",
       "children": [
        {
         "id": "lock-stale-done",
         "type": "solution",
         "title": "A device kept trying an old password",
         "description": "Confirm that no new event 4740 of {{user_upn}} comes within 30 minutes while all their devices are on, and that mail arrives on the phone."
        }
       ]
      },
      {
       "id": "lock-attack",
       "type": "action",
       "title": "Treat it as an attack on the account",
       "description": "Leave it locked if the user can wait. Check that no failure is followed by a success from the same address. Then set a new password, end all sessions (Entra ID, Users, **Revoke sessions**), and report the addresses. Look whether other accounts of {{client_name}} show the same ones.",
       "next_node_id": "lock-attack-done",
       "children": [
        {
         "id": "lock-attack-done",
         "type": "solution",
         "title": "The account was under attack",
         "description": "Confirm that no sign-in succeeded from the foreign addresses, that no MFA method, inbox rule or app consent was added in the last seven days, that the user has signed in with the new password, and that the security contact knows."
        }
       ]
      }
     ]
    },
    {
     "id": "password",
     "type": "decision",
     "title": "Can the user reset the password without help?",
     "description": "Self-service reset at the company's reset page needs registered methods that the user still has.",
     "options": [{ "id": "yes", "label": "Yes", "next_node_id": "self-service" }, { "id": "no", "label": "No", "next_node_id": "reset" }],
     "children": [
      {
       "id": "self-service",
       "type": "solution",
       "title": "The user sets the new password",
       "description": "Stay on the line while they do. With a synchronised directory ask for write-back: without it the PC keeps the old password. Confirm that sign-in works on the PC (locked and unlocked once), in the browser and on the phone."
      },
      {
       "id": "reset",
       "type": "action",
       "title": "Set a temporary password, to be changed at once",
       "description": "Use a generated one, read it out over the call-back, never by mail. Active Directory:\n\n```powershell\n$user = Get-ADUser -Filter \"UserPrincipalName -eq '{{user_upn}}'\"\nSet-ADAccountPassword $user -Reset -NewPassword (Read-Host -AsSecureString 'Temporary password')\nSet-ADUser $user -ChangePasswordAtLogon $true\n```\n\nThey print nothing when they worked. For an Entra account use **Reset password**, which gives a temporary one. A remote PC of a domain has to be on the VPN to learn the new one.",
       "next_node_id": "reset-done",
       "children": [
        {
         "id": "reset-done",
         "type": "solution",
         "title": "The user has a password of their own again",
         "description": "Confirm that they were asked for a new password, that it works on PC, browser and phone, and that no device locks the account with the old one within 15 minutes."
        }
       ]
      }
     ]
    },
    {
     "id": "mfa",
     "type": "decision",
     "title": "Why can MFA not be completed?",
     "description": "Ask what they see, and look at Authentication methods of {{user_upn}} in Entra ID.",
     "options": [
      { "id": "new-or-lost-phone", "label": "New or lost phone", "next_node_id": "mfa-lost" },
      { "id": "prompts-come-although-nobody-signs-in", "label": "Prompts come although nobody signs in", "next_node_id": "mfa-fatigue" },
      { "id": "the-code-is-always-wrong", "label": "The code is always wrong", "next_node_id": "mfa-clock" },
      { "id": "no-prompt-arrives", "label": "No prompt arrives", "next_node_id": "mfa-push" }
     ],
     "children": [
      {
       "id": "mfa-lost",
       "type": "action",
       "title": "Give a temporary access pass and remove the old device",
       "description": "1. Authentication methods, **Add**, Temporary Access Pass: one use, one hour.\n2. Delete the methods of the lost phone.\n3. Users, **Revoke sessions**. Was the phone lost or stolen: wipe or retire it in device management.\n4. Let the user register the new phone at the security info page with the pass.\n\nNever switch MFA off, not even for one day.",
       "next_node_id": "mfa-lost-done",
       "children": [
        {
         "id": "mfa-lost-done",
         "type": "solution",
         "title": "A new second factor is registered",
         "description": "Confirm that the user signs in with password and new phone in a private window, that the old phone is gone from the list, and that a second method is registered for the next time."
        }
       ]
      },
      {
       "id": "mfa-fatigue",
       "type": "action",
       "title": "Somebody has the password",
       "description": "Tell the user to deny every prompt. Reset the password now, end all sessions, and look through the sign-in log for a prompt that was approved. One approved prompt makes it an incident: call the security contact before anything else.",
       "next_node_id": "mfa-fatigue-done",
       "children": [
        {
         "id": "mfa-fatigue-done",
         "type": "solution",
         "title": "The stolen password is worthless now",
         "description": "Confirm that no prompts come for 30 minutes, that number matching is on, that no method and no inbox rule was added by a stranger, and that the user has signed in with the new password."
        }
       ]
      },
      {
       "id": "mfa-clock",
       "type": "solution",
       "title": "The clock of the phone or token was off",
       "description": "Set date and time to automatic on the phone; a hardware token that drifts is replaced. Confirm that two codes in a row are accepted in a private window."
      },
      {
       "id": "mfa-push",
       "type": "action",
       "title": "Bring the prompts back to the phone",
       "description": "Check on the phone: internet without the company VPN, notifications allowed for the authenticator app, no power saving for it, app up to date. Open the app and pull down: a waiting prompt appears. Meanwhile the six-digit code of the app works without any network.",
       "next_node_id": "mfa-push-done",
       "children": [
        {
         "id": "mfa-push-done",
         "type": "solution",
         "title": "Prompts arrive again",
         "description": "Confirm that a sign-in in a private window brings a prompt within ten seconds while the phone's screen is locked."
        }
       ]
      }
     ]
    },
    {
     "id": "blocked",
     "type": "decision",
     "title": "Who disabled or blocked it, and on purpose?",
     "description": "Entra ID, Audit logs, target {{user_upn}}; for 53003 the sign-in's Conditional Access tab names the policy. In Active Directory it is event 4725 in the Security log.",
     "options": [
      { "id": "personnel-or-security-on-purpose", "label": "Personnel or security, on purpose", "next_node_id": "blocked-purpose" },
      { "id": "a-conditional-access-policy", "label": "A Conditional Access policy", "next_node_id": "blocked-policy" },
      {
       "id": "by-mistake-or-the-account-had-expired",
       "label": "By mistake, or the account had expired",
       "next_node_id": "blocked-mistake"
      }
     ],
     "children": [
      {
       "id": "blocked-purpose",
       "type": "solution",
       "title": "It stays blocked",
       "description": "Do not enable it, and give the caller no reasons. Refer them to the contact person of {{client_name}}. Confirm that the contact knows of the call, and that {{user_upn}} is still blocked."
      },
      {
       "id": "blocked-policy",
       "type": "solution",
       "title": "Meet the policy, do not weaken it",
       "description": "Bring the device into compliance, or let the user sign in from where the policy allows. Exceptions need the account owner's approval in writing and an end date. Confirm that the sign-in log shows Success with that policy applied."
      },
      {
       "id": "blocked-mistake",
       "type": "solution",
       "title": "The account is enabled again",
       "description": "Enable it with the approval of the manager in {{ticket_number}}; correct the expiry date. With synchronisation wait for the next run, up to 30 minutes. Confirm that sign-in works on PC and in the browser, and that licences and groups are still there."
      }
     ]
    }
   ]
  },
  {
   "id": "refuse",
   "type": "action",
   "title": "Change nothing, and keep the account safe",
   "description": "Say kindly that you cannot go on without the call-back. Note time, number and what was asked for in {{ticket_number}}. Then look at the last sign-ins of {{user_upn}} and tell the security contact of {{client_name}}.",
   "next_node_id": "refuse-done",
   "children": [
    {
     "id": "refuse-done",
     "type": "solution",
     "title": "The request was refused and reported",
     "description": "Confirm that the security contact has answered, that no method, password or group of {{user_upn}} was changed today, and that colleagues at the desk know about the attempt: the next call goes to them."
    }
   ]
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000106', 'troubleshooting', 'Mail does not arrive or synchronise',
  'New mail is missing, does not leave, or a device does not follow the mailbox. Separates the mailbox from the program and the device. For Exchange Online with Outlook and phones.',
  '00000000-0000-7000-8000-000000000405', '{mail,outlook,"microsoft 365",mobile}',
  $form$
[
 { "key": "mailbox", "label": "Address of the mailbox", "type": "email", "required": true, "help_text": "The main address, no alias: the trace finds mail by it." },
 { "key": "mail_program", "label": "Where is it missing?", "type": "select", "required": true, "options": ["Outlook for Windows", "Outlook for Mac", "Phone or tablet", "Everywhere"] },
 { "key": "example_mail", "label": "One mail that is missing", "type": "text", "help_text": "Sender, subject and about when: without an example nothing can be traced.", "max": 300, "required": false }
]
$form$,
  $flow$
{
 "id": "web",
 "type": "decision",
 "title": "Is the missing mail in Outlook on the web?",
 "description": "The user says that it is missing in: {{mail_program}}. Open the mailbox {{mailbox}} in a browser and search for the example there, in all folders: {{example_mail}}",
 "options": [
  { "id": "not-there-either", "label": "Not there either", "next_node_id": "trace" },
  { "id": "it-is-there", "label": "It is there", "next_node_id": "program" },
  { "id": "the-web-refuses-to-open-the-mailbox", "label": "The web refuses to open the mailbox", "next_node_id": "access" }
 ],
 "children": [
  {
   "id": "trace",
   "type": "decision",
   "title": "What does the message trace say?",
   "description": "In an Exchange Online PowerShell:\n\n```powershell\nGet-MessageTraceV2 -RecipientAddress {{mailbox}} -StartDate (Get-Date).AddDays(-2) -EndDate (Get-Date) | Select-Object Received, SenderAddress, Subject, Status\n```\n\nPrints one line per mail. `Delivered` means that it was put into the mailbox. Found nothing means that it never reached the service.",
   "options": [
    { "id": "delivered", "label": "Delivered", "next_node_id": "rules" },
    { "id": "quarantined-or-filtered-as-spam", "label": "Quarantined, or filtered as spam", "next_node_id": "quarantine" },
    { "id": "failed-or-pending", "label": "Failed or Pending", "next_node_id": "failed" },
    { "id": "no-line-at-all", "label": "No line at all", "next_node_id": "sender" }
   ],
   "children": [
    {
     "id": "rules",
     "type": "action",
     "title": "Find where a rule or a client moved it",
     "description": "```powershell\nGet-InboxRule -Mailbox {{mailbox}} | Select-Object Name, Enabled, MoveToFolder, DeleteMessage, ForwardTo\nGet-Mailbox {{mailbox}} | Select-Object ForwardingSmtpAddress, DeliverToMailboxAndForward\n```\n\nLook for rules that move or delete, and for a forwarding without a copy. Then look in Other, Archive, Junk and Recover deleted items.",
     "next_node_id": "rules-mine",
     "children": [
      {
       "id": "rules-mine",
       "type": "decision",
       "title": "Does the user know every rule and forwarding?",
       "description": "Read them out. Rules named `.` or with a single letter, rules that move to RSS Feeds, and forwarding to strangers are signs of a break-in.",
       "options": [{ "id": "yes", "label": "Yes", "next_node_id": "rules-done" }, { "id": "no", "label": "No", "next_node_id": "breach" }],
       "children": [
        {
         "id": "rules-done",
         "type": "solution",
         "title": "A rule of their own had moved it",
         "description": "Change the rule together. Confirm that a test mail from outside arrives in the inbox and stays there for two minutes with all devices on."
        },
        {
         "id": "breach",
         "type": "action",
         "title": "Treat the mailbox as broken into",
         "description": "Reset the password, end all sessions, remove the rule and the forwarding after a screenshot of each, and review MFA methods and app consents. Call the security contact of {{client_name}} now: mail may have been sent in the user's name.",
         "next_node_id": "breach-done",
         "children": [
          {
           "id": "breach-done",
           "type": "solution",
           "title": "The intruder is out",
           "description": "Confirm that no unknown rule, forwarding, method or consent is left, that the sign-in log shows the user's own addresses alone for an hour, that a test mail arrives, and that the incident is on record."
          }
         ]
        }
       ]
      }
     ]
    },
    {
     "id": "quarantine",
     "type": "solution",
     "title": "The filter held it back",
     "description": "Look at the mail before you release it: the link targets, the sender's domain, the attachment. Release it only if it is clean, and report it as wrongly filtered rather than allowing the whole domain. Confirm that the released mail is in the inbox of {{mailbox}}."
    },
    {
     "id": "failed",
     "type": "decision",
     "title": "What reason does the trace give?",
     "description": "```powershell\nGet-MessageTraceDetailV2 -MessageTraceId 'ID' -RecipientAddress {{mailbox}} | Select-Object Date, Event, Detail\n```\n\nThe last event names the reason, with a code such as 5.2.2 or 5.1.10.",
     "options": [
      { "id": "5-2-2-the-mailbox-is-full", "label": "5.2.2: the mailbox is full", "next_node_id": "full" },
      { "id": "5-1-x-no-such-address", "label": "5.1.x: no such address", "next_node_id": "address" },
      { "id": "something-else-or-pending-for-hours", "label": "Something else, or Pending for hours", "next_node_id": "failed-other" }
     ],
     "children": [
      {
       "id": "full",
       "type": "action",
       "title": "Make room in the mailbox",
       "description": "```powershell\nGet-MailboxStatistics {{mailbox}} | Select-Object TotalItemSize, TotalDeletedItemSize, ItemCount\nGet-MailboxFolderStatistics {{mailbox}} | Sort-Object ItemsInFolder -Descending | Select-Object -First 10 Name, FolderSize\n```\n\nEmpty Deleted Items after asking, and switch on the online archive if the licence has it. The status follows within an hour.",
       "next_node_id": "full-done",
       "children": [
        {
         "id": "full-done",
         "type": "solution",
         "title": "The mailbox was full",
         "description": "Confirm that TotalItemSize is below the warning limit, that a test mail from outside arrives, and that the user knows how the archive works."
        }
       ]
      },
      {
       "id": "address",
       "type": "solution",
       "title": "The address does not exist as written",
       "description": "Add the alias if it should exist, or tell the sender the right one. Confirm with a test mail from outside to the very address that the sender used."
      },
      {
       "id": "failed-other",
       "type": "solution",
       "title": "Look at the service, then escalate",
       "description": "Look at Service health in the admin centre and at mail flow rules and connectors. Confirm that {{ticket_number}} holds the message id, the time and the reason before you escalate, and a test mail arrives after the fix."
      }
     ]
    },
    {
     "id": "sender",
     "type": "action",
     "title": "The mail never reached us",
     "description": "Ask the sender for the bounce, or for the log of their server. Test the domain's records meanwhile:\n\n```powershell\nResolve-DnsName -Type MX client.example\nResolve-DnsName -Type TXT client.example\n```\n\nThe first, with the real domain, should print the mail service's host; the second should hold exactly one line that begins with `v=spf1`.",
     "next_node_id": "sender-done",
     "children": [
      {
       "id": "sender-done",
       "type": "solution",
       "title": "The sender or the records were at fault",
       "description": "Confirm that a mail from the sender, and one from a free mail service, arrive within five minutes, and that the trace shows both as Delivered."
      }
     ]
    }
   ]
  },
  {
   "id": "program",
   "type": "decision",
   "title": "What does the program show?",
   "description": "Outlook: the status bar at the bottom. Phone: the error below the account in its settings.",
   "options": [
    { "id": "working-offline-or-disconnected", "label": "Working Offline or Disconnected", "next_node_id": "offline" },
    { "id": "it-asks-for-the-password-again-and-again", "label": "It asks for the password again and again", "next_node_id": "signin" },
    { "id": "connected-but-stale-or-updating-for-hour", "label": "Connected, but stale or Updating for hours", "next_node_id": "stale" },
    { "id": "it-is-a-phone-or-tablet", "label": "It is a phone or tablet", "next_node_id": "phone" }
   ],
   "children": [
    {
     "id": "offline",
     "type": "decision",
     "title": "Does the PC reach the mail service?",
     "description": "```powershell\nTest-NetConnection outlook.office365.com -Port 443\n```\n\nShould print `TcpTestSucceeded : True`. Then Send/Receive, **Work Offline** should not be highlighted.",
     "options": [
      { "id": "true-and-work-offline-was-on", "label": "True, and Work Offline was on", "next_node_id": "offline-button" },
      { "id": "true-still-disconnected", "label": "True, still Disconnected", "next_node_id": "offline-addins" },
      { "id": "false", "label": "False", "next_node_id": "offline-network" }
     ],
     "children": [
      {
       "id": "offline-button",
       "type": "solution",
       "title": "Outlook had been set to work offline",
       "description": "Switch Work Offline off. Confirm that the status bar says `Connected to: Microsoft Exchange` and that a mail sent to oneself arrives."
      },
      {
       "id": "offline-addins",
       "type": "action",
       "title": "Start Outlook without add-ins and sign in anew",
       "description": "Close Outlook. Run `outlook.exe /safe`. If it connects now, switch the add-ins off one after another (File, Options, Add-ins). If it does not, update it (File, Office Account, Update Options) and look whether the PC's clock is right to the minute: a wrong one breaks every sign-in.",
       "next_node_id": "offline-addins-done",
       "children": [
        {
         "id": "offline-addins-done",
         "type": "solution",
         "title": "An add-in, an old version or the clock kept it offline",
         "description": "Confirm that the status bar says `Connected to: Microsoft Exchange` after a normal start, and that a test mail from outside arrives. If it still does not connect, make a new profile: Control Panel, Mail, Show Profiles, Add."
        }
       ]
      },
      {
       "id": "offline-network",
       "type": "solution",
       "title": "The way to the mail service is blocked",
       "description": "Try a phone's hotspot, then look at proxy, VPN and firewall. Confirm that `Test-NetConnection outlook.office365.com -Port 443` prints `TcpTestSucceeded : True` on the user's usual network and that Outlook connects."
      }
     ]
    },
    {
     "id": "signin",
     "type": "action",
     "title": "Clear the stored sign-in",
     "description": "Close Outlook and Teams. Windows: Credential Manager, Windows Credentials, remove entries that begin with `MicrosoftOffice`. Then Settings, Accounts, Access work or school: disconnect and connect an account that asks for attention. Check that the clock is right. Start Outlook and sign in with MFA once.",
     "next_node_id": "signin-done",
     "children": [
      {
       "id": "signin-done",
       "type": "solution",
       "title": "The stored sign-in was broken",
       "description": "Confirm that Outlook does not ask again after two restarts of the program and one of the PC, and that a test mail arrives."
      }
     ]
    },
    {
     "id": "stale",
     "type": "action",
     "title": "Let Outlook rebuild its copy",
     "description": "1. See whether the folder has a filter set (View, Filter) or Focused hides the mail under Other.\n2. File, Account Settings, Exchange account: is **Download email for the past** too short?\n3. Close Outlook, rename the `.ost` file in `%LOCALAPPDATA%\\Microsoft\\Outlook`, start Outlook. It downloads the mailbox again: about an hour for 10 GB.\n\nMac: hold Ctrl, click the folder, Properties, **Empty Cache**.",
     "next_node_id": "stale-better",
     "children": [
      {
       "id": "stale-better",
       "type": "decision",
       "title": "Is the missing mail in Outlook now?",
       "description": "Wait until the status bar says **All folders are up to date**.",
       "options": [{ "id": "yes", "label": "Yes", "next_node_id": "stale-done" }, { "id": "no", "label": "No", "next_node_id": "profile" }],
       "children": [
        {
         "id": "stale-done",
         "type": "solution",
         "title": "The local copy was damaged",
         "description": "Confirm that the newest mail in Outlook and on the web is the same, that a mail deleted in one is gone in the other within a minute, and that the calendar agrees."
        },
        {
         "id": "profile",
         "type": "action",
         "title": "Make a new Outlook profile",
         "description": "Control Panel, Mail, Show Profiles, Add; sign in with {{mailbox}}, and let Outlook always use the new one. Note shared mailboxes, signatures and local archives (`.pst`) first: they do not come along by themselves.",
         "next_node_id": "profile-done",
         "children": [
          {
           "id": "profile-done",
           "type": "solution",
           "title": "The profile was damaged",
           "description": "Confirm that mail goes out and comes in, that shared mailboxes and archives are open again, and that the signature is back. Delete the old profile a week later."
          }
         ]
        }
       ]
      }
     ]
    },
    {
     "id": "phone",
     "type": "action",
     "title": "Remove the account from the phone and add it again",
     "description": "1. Storage free, background data allowed, power saving off for the mail app?\n2. Remove the account and add it in the Outlook app, with MFA.\n3. Refused with \"quarantined\" or \"not compliant\": release or enrol the device in device management.",
     "next_node_id": "phone-done",
     "children": [
      {
       "id": "phone-done",
       "type": "solution",
       "title": "The phone follows the mailbox again",
       "description": "Confirm that a test mail appears on the locked phone within a minute, and that deleting it there deletes it on the web."
      }
     ]
    }
   ]
  },
  {
   "id": "access",
   "type": "decision",
   "title": "What does the web answer?",
   "description": "Read the whole message on the page.",
   "options": [
    { "id": "sign-in-refused-or-blocked", "label": "Sign-in refused, or blocked", "next_node_id": "access-signin" },
    { "id": "no-mailbox-or-no-licence", "label": "No mailbox or no licence", "next_node_id": "access-licence" }
   ],
   "children": [
    {
     "id": "access-signin",
     "type": "solution",
     "title": "It is a sign-in problem",
     "description": "Go on with the flow for locked accounts. Confirm afterwards that {{mailbox}} opens on the web and that the missing mail is there."
    },
    {
     "id": "access-licence",
     "type": "solution",
     "title": "The mailbox has lost its licence",
     "description": "Assign the licence again: within 30 days the mailbox comes back as it was. Confirm after up to an hour that it opens on the web with its old mail, and that a test mail from outside arrives."
    }
   ]
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000201', 'procedural', 'New user onboarding',
  'Everything from the approved request to the first sign-in of a new person: account, licence, groups, mailbox, PC, MFA. Plan 60 to 90 minutes, and start three working days before the first day.',
  '00000000-0000-7000-8000-000000000406', '{onboarding,user,account,"microsoft 365"}',
  $form$
[
 { "key": "full_name", "label": "Full name", "type": "text", "required": true, "min": 3, "max": 120, "help_text": "As in the contract; used for the display name." },
 { "key": "user_upn", "label": "Sign-in name", "type": "email", "required": true, "help_text": "By the client's rule, usually first.last@ their domain." },
 { "key": "start_date", "label": "First day", "type": "date", "required": true },
 { "key": "manager_email", "label": "Manager", "type": "email", "required": true, "help_text": "Gets the temporary access and answers questions on rights." },
 { "key": "licence", "label": "Licence", "type": "select", "required": true, "options": ["Business Basic", "Business Standard", "Business Premium", "E3", "E5"], "default": "Business Premium" },
 { "key": "same_rights_as", "label": "Groups the person needs", "type": "textarea", "required": true, "max": 2000, "help_text": "One per line. Approved by name: \"the same as a colleague\" copies rights nobody checked." },
 { "key": "device", "label": "Device", "type": "select", "required": true, "options": ["New Windows laptop", "New Mac", "Existing PC", "None"], "default": "New Windows laptop" },
 { "key": "mobile_number", "label": "Mobile number for the first contact", "type": "text", "pattern": "\\+[0-9 ]{7,20}", "help_text": "With country code, as +44 20 7946 0000. Only for handing over the first access.", "required": false }
]
$form$,
  $flow$
{
 "steps": [
  {
   "id": "prepare",
   "type": "section_header",
   "title": "Before anything is created",
   "description": ""
  },
  {
   "id": "approval",
   "type": "procedure_step",
   "title": "Check the request for {{full_name}}",
   "description": "The request comes from {{manager_email}} or from personnel, and names start date ({{start_date}}), licence ({{licence}}) and groups. A call or a chat alone is not enough: ask for it in {{ticket_number}}.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "approval-missing",
     "title": "Get the approval in writing",
     "description": "Write to the client's contact on file, not to an address from the request. Nothing is created until the answer is in {{ticket_number}}."
    }
   ]
  },
  {
   "id": "free",
   "type": "procedure_step",
   "title": "Check that {{user_upn}} is free",
   "description": "```powershell\nGet-MgUser -Filter \"userPrincipalName eq '{{user_upn}}'\"\nGet-Recipient -Identity '{{user_upn}}' -ErrorAction SilentlyContinue\n```\n\nBoth should print nothing. An entry means that the name, or an alias, is taken.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "free-taken",
     "title": "Agree on another name",
     "description": "Use the client's rule for namesakes, a middle initial or a number, and have {{manager_email}} agree before you go on. Never reuse the address of somebody who left: their mail would arrive at the new person."
    }
   ]
  },
  {
   "id": "licence-free",
   "type": "procedure_step",
   "title": "Check that a {{licence}} licence is free",
   "description": "Admin centre, Billing, Licences; or:\n\n```powershell\nGet-MgSubscribedSku | Select-Object SkuPartNumber, ConsumedUnits, @{ n = 'Bought'; e = { $_.PrepaidUnits.Enabled } }\n```\n\nBought has to be greater than ConsumedUnits in the line of {{licence}}.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "licence-order",
     "title": "Order the licence",
     "description": "Order one by the client's agreement and note the cost in {{ticket_number}}. Look first whether a person who has left still holds one."
    }
   ]
  },
  {
   "id": "account",
   "type": "section_header",
   "title": "Account and mailbox",
   "description": ""
  },
  {
   "id": "create",
   "type": "procedure_step",
   "title": "Create the account of {{full_name}}",
   "description": "With a synchronised directory create it in Active Directory, in the right organisational unit, and wait for the synchronisation. Otherwise in Entra ID. Sign-in name {{user_upn}}, display name {{full_name}}, manager {{manager_email}}, usage location set (without it no licence can be given). The initial password is generated and has to be changed.\n\n```powershell\nGet-MgUser -UserId '{{user_upn}}' -Property DisplayName, AccountEnabled, UsageLocation | Select-Object DisplayName, AccountEnabled, UsageLocation\n```\n\nShould print the name, `True`, and a country code.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "create-sync",
     "title": "The account does not appear in Entra ID",
     "description": "On the synchronisation server: `Start-ADSyncSyncCycle -PolicyType Delta` should print `Success`. After five minutes look at the synchronisation errors: a duplicate address or proxy address is the usual one."
    }
   ]
  },
  {
   "id": "assign",
   "type": "procedure_step",
   "title": "Assign {{licence}}",
   "description": "By the licensing group if the client has one, otherwise directly. The mailbox appears within 30 minutes:\n\n```powershell\nGet-EXOMailbox -Identity '{{user_upn}}' | Select-Object PrimarySmtpAddress\n```\n\nShould print the address. \"Couldn't be found\" means wait.",
   "estimated_minutes": 5
  },
  {
   "id": "groups",
   "type": "procedure_step",
   "title": "Add the person to the approved groups",
   "description": "Exactly these, and no others:\n\n{{same_rights_as}}\n\nThen read them back:\n\n```powershell\nGet-MgUserMemberOf -UserId '{{user_upn}}' -All | ForEach-Object { $_.AdditionalProperties.displayName }\n```\n\nShould print these groups, those that the licence and the client's rules add by themselves, and nothing else.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "groups-refused",
     "title": "A group is unknown or needs another approval",
     "description": "Ask its owner, not the requester. Leave it out for now, note it in {{ticket_number}}, and tell {{manager_email}} which access comes later."
    }
   ]
  },
  {
   "id": "device-section",
   "type": "section_header",
   "title": "Device",
   "description": ""
  },
  {
   "id": "device-ready",
   "type": "procedure_step",
   "title": "Prepare the device: {{device}}",
   "description": "Register it in device management and assign it to {{user_upn}}. It has to have the current system version, disk encryption with its key stored, endpoint protection, and the standard programs. For None, make sure that the person may sign in from what they will use.\n\nWindows check, elevated:\n\n```powershell\nmanage-bde -status C:\nGet-MpComputerStatus | Select-Object AMServiceEnabled, RealTimeProtectionEnabled\n```\n\nShould print `Protection On` and twice `True`. Mac: `fdesetup status` prints `FileVault is On.`",
   "estimated_minutes": 30,
   "fallback_steps": [
    {
     "id": "device-late",
     "title": "The device does not arrive in time",
     "description": "Prepare one from the pool, label it as a loan, and note its serial number in {{ticket_number}}."
    }
   ]
  },
  {
   "id": "first-day",
   "type": "section_header",
   "title": "First day, {{start_date}}",
   "description": ""
  },
  {
   "id": "handover",
   "type": "procedure_step",
   "title": "Hand over the first access",
   "description": "Create a Temporary Access Pass, one use, valid from {{start_date}} for eight hours. Give it in person, by the manager, or by a call to {{mobile_number}}; never together with the sign-in name in one mail.",
   "estimated_minutes": 10
  },
  {
   "id": "mfa-register",
   "type": "procedure_step",
   "title": "Register MFA with the person",
   "description": "The person signs in with the pass, opens the security info page, registers an authenticator app and a second method. They set their own password.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "mfa-no-phone",
     "title": "The person has or wants no phone for it",
     "description": "Give a security key, and register it together. Note its serial number in {{ticket_number}}."
    }
   ]
  },
  {
   "id": "check",
   "type": "section_header",
   "title": "Check",
   "description": ""
  },
  {
   "id": "works",
   "type": "procedure_step",
   "title": "Confirm that everything works, together with the person",
   "description": "1. Sign-in to {{device}} with the own password and MFA.\n2. A mail from outside to {{user_upn}} arrives; the answer leaves with the right name.\n3. One file of each team is opened, and one printed page is in the tray.\n4. A call with picture and sound works.\n5. The sign-in log of {{user_upn}} shows Success, and no failure from elsewhere.",
   "estimated_minutes": 15,
   "fallback_steps": [
    {
     "id": "works-not",
     "title": "Something does not work",
     "description": "Stay with it until mail and sign-in work: those cannot wait. Make a ticket of its own for anything else and give the person its number."
    }
   ]
  },
  {
   "id": "record",
   "type": "procedure_step",
   "title": "Record and close",
   "description": "Documentation: device with serial number, licence, groups. Confirm that {{manager_email}} has answered that the person can work, and that the temporary pass is used or deleted.",
   "estimated_minutes": 5
  },
  {
   "id": "end",
   "type": "procedure_end",
   "title": "{{full_name}} can work",
   "description": "Keep {{ticket_number}} open until the end of the first day."
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000202', 'procedural', 'User offboarding',
  'Takes away every access of a person who leaves, at the agreed minute, and keeps what the client needs: mail, files, and evidence if there is a legal hold. Plan 45 minutes.',
  '00000000-0000-7000-8000-000000000406', '{offboarding,user,account,security}',
  $form$
[
 { "key": "user_upn", "label": "Sign-in name of the person who leaves", "type": "email", "required": true },
 { "key": "access_ends", "label": "Last day with access", "type": "date", "required": true },
 { "key": "end_time", "label": "Time of the end, local", "type": "text", "required": true, "default": "17:00", "pattern": "([01][0-9]|2[0-3]):[0-5][0-9]", "help_text": "24 hours, as 17:00. Ask for it: people are told at a certain minute." },
 { "key": "successor", "label": "Who takes over mail and files?", "type": "email", "required": true, "help_text": "Usually the manager." },
 { "key": "kind", "label": "Kind of leaving", "type": "select", "required": true, "options": ["Planned", "Immediate, security present"], "default": "Planned" },
 { "key": "legal_hold", "label": "Must everything be kept as evidence?", "type": "boolean", "required": true, "default": false, "help_text": "Ask personnel. When in doubt, yes: a deleted mailbox does not come back." }
]
$form$,
  $flow$
{
 "steps": [
  {
   "id": "agree",
   "type": "section_header",
   "title": "Agree",
   "description": ""
  },
  {
   "id": "request",
   "type": "procedure_step",
   "title": "Check who asks, and agree on the minute",
   "description": "The request comes from personnel or from the contact on file of {{client_name}}. It names {{user_upn}}, the end ({{access_ends}}, {{end_time}}), the kind ({{kind}}) and who takes over ({{successor}}). Tell nobody else.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "request-unclear",
     "title": "The request comes from somebody else",
     "description": "Call the contact on file. Until they agree, change nothing: locking out a person by mistake, or on a stranger's wish, is an incident too."
    }
   ]
  },
  {
   "id": "hold",
   "type": "procedure_step",
   "title": "Place a legal hold if there is to be one (asked for: {{legal_hold}})",
   "description": "If so, before anything else:\n\n```powershell\nSet-Mailbox '{{user_upn}}' -LitigationHoldEnabled $true\nGet-Mailbox '{{user_upn}}' | Select-Object LitigationHoldEnabled\n```\n\nShould print `True`. It may take an hour to be in force. Do not wipe or reinstall the person's devices.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "hold-licence",
     "title": "The licence does not allow a hold",
     "description": "Export the mailbox and the cloud files by eDiscovery, and let the client's legal contact confirm in {{ticket_number}} that this is enough."
    }
   ]
  },
  {
   "id": "close",
   "type": "section_header",
   "title": "Close the access, at {{end_time}} on {{access_ends}}",
   "description": ""
  },
  {
   "id": "block",
   "type": "procedure_step",
   "title": "Block the sign-in and end all sessions",
   "description": "In this order, without a pause:\n\n```powershell\nUpdate-MgUser -UserId '{{user_upn}}' -AccountEnabled:$false\nRevoke-MgUserSignInSession -UserId '{{user_upn}}'\nGet-MgUser -UserId '{{user_upn}}' -Property AccountEnabled | Select-Object AccountEnabled\n```\n\nThe last line should print `False`. With a synchronised directory disable the account in Active Directory as well, and start a synchronisation; otherwise the next run enables it again.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "block-synced",
     "title": "\"Unable to update the specified properties\": the account is synchronised",
     "description": "`Get-ADUser -Filter \"UserPrincipalName -eq '{{user_upn}}'\" | Disable-ADAccount` on a domain controller, then `Start-ADSyncSyncCycle -PolicyType Delta`. Revoke the sessions meanwhile: that works at once."
    }
   ]
  },
  {
   "id": "password",
   "type": "procedure_step",
   "title": "Set a random password and remove the MFA methods",
   "description": "A long generated password that nobody notes. Delete all authentication methods, so that self-service reset cannot bring the person back.",
   "estimated_minutes": 5
  },
  {
   "id": "outside",
   "type": "procedure_step",
   "title": "Take away what has its own sign-in",
   "description": "Go through the documentation of {{client_name}}: VPN and firewall users, password manager, remote support tool, domain registrar, bank and social media, admin accounts that the person used, API keys and shared mailboxes' passwords. Change every shared password the person knew, beginning with those that work from outside.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "outside-unknown",
     "title": "Nobody knows where else there are accounts",
     "description": "Look at the single sign-on list and at the sign-in log of the last 90 days, search the mailbox for \"welcome\" and \"invoice\", and ask {{successor}}. Note what stays open, and who looks after it."
    }
   ]
  },
  {
   "id": "devices",
   "type": "procedure_step",
   "title": "Secure the devices",
   "description": "In device management: list what belongs to {{user_upn}}. Company devices are locked or retired when they are back; private phones get the company data removed, not the whole phone wiped. With a legal hold ({{legal_hold}}) nothing is wiped.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "devices-missing",
     "title": "A device does not come back",
     "description": "Send lock and, if there is no hold, wipe; both act when it comes online. Note the serial number and tell {{successor}} and the contact on file."
    }
   ]
  },
  {
   "id": "keep",
   "type": "section_header",
   "title": "Keep what the client needs",
   "description": ""
  },
  {
   "id": "mailbox",
   "type": "procedure_step",
   "title": "Hand over the mailbox",
   "description": "```powershell\nSet-Mailbox '{{user_upn}}' -Type Shared\nAdd-MailboxPermission '{{user_upn}}' -User '{{successor}}' -AccessRights FullAccess\nGet-Mailbox '{{user_upn}}' | Select-Object RecipientTypeDetails\n```\n\nShould print `SharedMailbox`. Set the automatic answer that the client has approved, with the new contact. Remove inbox rules and forwarding that lead outside.",
   "estimated_minutes": 10
  },
  {
   "id": "files",
   "type": "procedure_step",
   "title": "Hand over the files",
   "description": "Give {{successor}} access to the person's cloud files, and have them copy what is needed within 30 days. Move the ownership of teams, groups, flows and shared calendars.",
   "estimated_minutes": 5
  },
  {
   "id": "licences",
   "type": "procedure_step",
   "title": "Free the licence",
   "description": "Remove the licence only after the mailbox is shared (up to 50 GB needs none) and the files are copied. With a legal hold ask first which licence the hold needs.",
   "estimated_minutes": 5
  },
  {
   "id": "verify",
   "type": "section_header",
   "title": "Check",
   "description": ""
  },
  {
   "id": "proof",
   "type": "procedure_step",
   "title": "Confirm that nothing opens any more",
   "description": "1. A sign-in as {{user_upn}} is refused: error 50057 in the log.\n2. `Get-MgUserMemberOf` lists no admin role and no VPN group.\n3. The sign-in log shows no success after {{end_time}} on {{access_ends}}.\n4. {{successor}} opens the mailbox and one file.\n5. A mail from outside gets the automatic answer.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "proof-open",
     "title": "Something still opens",
     "description": "A session that lives on ends within an hour after the revocation; revoke again and look at apps with their own tokens. A success after the end is an incident: call the contact on file now."
    }
   ]
  },
  {
   "id": "report",
   "type": "procedure_step",
   "title": "Report to the client",
   "description": "Send the contact on file what was closed and when, what was handed to {{successor}}, what is kept and until when, and what is still open. Set a reminder for the deletion. Confirm that they have answered in {{ticket_number}}.",
   "estimated_minutes": 5
  },
  {
   "id": "end",
   "type": "procedure_end",
   "title": "{{user_upn}} has no access any more",
   "description": "The account stays, disabled, until the agreed date of deletion."
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000301', 'maintenance', 'Server patching',
  'Monthly updates of one server, Windows or Linux: make sure there is a way back, install, restart, prove that its services work. Run it as a batch, one server after another for machines that stand in for each other.',
  '00000000-0000-7000-8000-000000000407', '{patching,server,windows,linux,"maintenance window"}',
  $form$
[
 { "key": "window_start", "label": "Start of the maintenance window", "type": "text", "required": true, "pattern": "([01][0-9]|2[0-3]):[0-5][0-9]", "help_text": "24 hours, local time, as 22:00." },
 { "key": "window_hours", "label": "Length of the window in hours", "type": "number", "required": true, "default": 4, "min": 1, "max": 24 },
 { "key": "rollback", "label": "Way back", "type": "select", "required": true, "options": ["Snapshot of the virtual machine", "Backup taken before the window", "Second node takes over"], "default": "Snapshot of the virtual machine", "help_text": "Domain controllers and databases: a backup, no snapshot alone." },
 { "key": "services", "label": "What has to work afterwards", "type": "textarea", "required": true, "max": 2000, "help_text": "One per line, each with how to test it: a page to open, a report to print." },
 { "key": "contact", "label": "Who is called when it goes wrong?", "type": "text", "required": true, "max": 200, "help_text": "Name and number, reachable during the window." }
]
$form$,
  $flow$
{
 "steps": [
  {
   "id": "before",
   "type": "section_header",
   "title": "Before the window",
   "description": ""
  },
  {
   "id": "announce",
   "type": "procedure_step",
   "title": "Check window and agreement for {{target_label}}",
   "description": "The window begins at {{window_start}} and lasts {{window_hours}} hours. {{client_name}} has agreed, users have been told, and {{contact}} can be reached. Set {{target_label}} to maintenance in the monitoring, for the window alone.",
   "estimated_minutes": 5
  },
  {
   "id": "health",
   "type": "procedure_step",
   "title": "See that {{target_label}} is healthy before you touch it",
   "description": "What is broken before the patch gets blamed on it. Windows:\n\n```powershell\nGet-Volume -DriveLetter C | Select-Object SizeRemaining\nGet-CimInstance Win32_Service -Filter \"StartMode='Auto' and State<>'Running'\" | Select-Object Name, State, ExitCode\nGet-WinEvent -FilterHashtable @{ LogName = 'System'; Level = 1, 2; StartTime = (Get-Date).AddDays(-1) } -ErrorAction SilentlyContinue | Group-Object ProviderName | Select-Object Count, Name\n```\n\nAt least 15 GB free. Note which automatic services are stopped already (some delayed ones with exit code 0 are normal) and which errors repeat. Linux:\n\n```bash\ndf -h / /boot /var\nsystemctl --failed\n```\n\nAt least 20 % free on each, and `0 loaded units listed.`",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "health-space",
     "title": "There is too little space",
     "description": "Windows: `DISM /Online /Cleanup-Image /StartComponentCleanup`. Linux: `sudo journalctl --vacuum-size=200M`, then `sudo apt autoremove --purge` or `sudo dnf remove --oldinstallonly`. Below the minimum do not patch: plan for more disk."
    },
    {
     "id": "health-broken",
     "title": "Something is broken already",
     "description": "Repair it first, or leave {{target_label}} out of this window and tell {{contact}}. Make a ticket of its own."
    }
   ]
  },
  {
   "id": "way-back",
   "type": "procedure_step",
   "title": "Make sure of the way back: {{rollback}}",
   "description": "- Snapshot: take it now, without memory, named `before-patch` and the date.\n- Backup: the newest job of {{target_label}} has ended with success, less than 24 hours ago, and a file of it has been restored as a test.\n- Second node: it is healthy and has taken over.",
   "estimated_minutes": 15,
   "fallback_steps": [
    {
     "id": "way-back-none",
     "title": "None of these is possible",
     "description": "Do not patch. Call {{contact}}, and let the client decide in writing whether to move the window."
    }
   ]
  },
  {
   "id": "install",
   "type": "section_header",
   "title": "In the window, from {{window_start}}",
   "description": ""
  },
  {
   "id": "pending",
   "type": "procedure_step",
   "title": "See what will be installed",
   "description": "Windows:\n\n```powershell\n$updates = (New-Object -ComObject Microsoft.Update.Session).CreateUpdateSearcher().Search('IsInstalled=0 and IsHidden=0').Updates\n$updates | ForEach-Object { $_.Title }\n```\n\nLinux: `apt list --upgradable` after `sudo apt update`, or `dnf check-update` (which ends with code 100 when there are some). Look for a known problem with these updates before you go on, above all with those of this week.",
   "estimated_minutes": 5
  },
  {
   "id": "apply",
   "type": "procedure_step",
   "title": "Install the updates",
   "description": "Windows: by your patch tool, or `sconfig`, option 6. Debian and Ubuntu:\n\n```bash\nsudo DEBIAN_FRONTEND=noninteractive apt-get -y -o Dpkg::Options::=--force-confold upgrade\n```\n\nShould end without a line that begins with `E:`. Red Hat and its relatives: `sudo dnf -y upgrade`, which ends with `Complete!`. Do not restart while a line says that something is still being configured.",
   "estimated_minutes": 40,
   "fallback_steps": [
    {
     "id": "apply-windows",
     "title": "An update fails on Windows",
     "description": "Note the code. Restart once and try again. Then `DISM /Online /Cleanup-Image /RestoreHealth`, then `sfc /scannow`. If it fails a third time, leave it out and make a ticket of its own with the code and `CBS.log`."
    },
    {
     "id": "apply-linux",
     "title": "Packages are broken or locked on Linux",
     "description": "`sudo dpkg --configure -a`, then `sudo apt-get -f install`. If the lock is held, see who holds it with `sudo fuser /var/lib/dpkg/lock-frontend`; wait for unattended upgrades to end rather than killing them."
    }
   ]
  },
  {
   "id": "reboot",
   "type": "procedure_step",
   "title": "Restart {{target_label}}",
   "description": "Stop applications that need an orderly end first, databases above all. Then `Restart-Computer` or `sudo systemctl reboot`. Watch the console. Up to 30 minutes of \"Working on updates\" are normal.",
   "estimated_minutes": 15,
   "fallback_steps": [
    {
     "id": "reboot-hangs",
     "title": "It does not come back within 30 minutes",
     "description": "Look at the console before you cut anything. Boot into safe mode or the previous kernel. Is it not up one hour before the end of the window, go back by: {{rollback}}. Call {{contact}}."
    }
   ]
  },
  {
   "id": "after",
   "type": "section_header",
   "title": "After the restart",
   "description": ""
  },
  {
   "id": "up",
   "type": "procedure_step",
   "title": "Confirm that {{target_label}} is up and patched",
   "description": "Windows:\n\n```powershell\n(Get-CimInstance Win32_OperatingSystem).LastBootUpTime\nGet-HotFix | Sort-Object InstalledOn -Descending | Select-Object -First 5 HotFixID, InstalledOn\nGet-CimInstance Win32_Service -Filter \"StartMode='Auto' and State<>'Running'\" | Select-Object Name, ExitCode\n```\n\nToday's start, today's updates, and no stopped service that ran before. Linux: `uptime -s`, `uname -r` (the new kernel), `systemctl --failed`.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "up-service",
     "title": "A service does not start",
     "description": "Read its log: `Get-WinEvent -LogName System -MaxEvents 50`, or `journalctl -u NAME -b`. Start it by hand and watch it for five minutes. If it depends on another server of this batch, finish that one first."
    }
   ]
  },
  {
   "id": "services-work",
   "type": "procedure_step",
   "title": "Confirm that its services work",
   "description": "Test each as a user would, not by its process:\n\n{{services}}\n\nCompare with what you noted before the window. Look at the monitoring: every check of {{target_label}} green.",
   "estimated_minutes": 15,
   "fallback_steps": [
    {
     "id": "services-broken",
     "title": "One of them does not work",
     "description": "Give yourself 30 minutes. Then remove the update (`DISM /Online /Remove-Package /PackageName:NAME` with the name from `DISM /Online /Get-Packages`, or `sudo dnf history undo last`), or go back by: {{rollback}}. Tell {{contact}} before you go back: what was written since is lost with a snapshot."
    }
   ]
  },
  {
   "id": "tidy",
   "type": "procedure_step",
   "title": "Tidy up",
   "description": "End the maintenance mode in the monitoring. Delete the snapshot after two good working days, never keep it longer than a week: it grows and slows the server. Confirm that a reminder for that is set in {{ticket_number}}.",
   "estimated_minutes": 5
  },
  {
   "id": "report",
   "type": "procedure_step",
   "title": "Report",
   "description": "Note what was installed, the time of the restart, what was left out and why. Confirm that {{target_label}} shows as patched in the report of your patch tool.",
   "estimated_minutes": 5
  },
  {
   "id": "end",
   "type": "procedure_end",
   "title": "{{target_label}} is patched and its services work",
   "description": "Go on with the next server of the batch only now."
  }
 ]
}
$flow$);

select app.add_starter_flow(
  '00000000-0000-7000-8000-000000000302', 'maintenance', 'Backup check and test restore',
  'Proves for one system that its backup could be used tomorrow: jobs, age, coverage, copies out of reach of an attacker, and a real restore. A backup nobody has restored is a hope.',
  '00000000-0000-7000-8000-000000000407', '{backup,restore,server,maintenance}',
  $form$
[
 { "key": "backup_tool", "label": "Backup product", "type": "text", "required": true, "max": 100, "help_text": "And where its console is." },
 { "key": "max_age_hours", "label": "Greatest age of the newest backup in hours", "type": "number", "required": true, "default": 26, "min": 1, "max": 168, "help_text": "What the client has been promised (RPO); 26 allows for a job that runs a little longer." },
 { "key": "restore_hours", "label": "Promised time for a full restore in hours (RTO)", "type": "number", "required": true, "default": 8, "min": 1, "max": 168 },
 { "key": "restore_item", "label": "What to restore as the test", "type": "text", "required": true, "max": 300, "help_text": "Another one each month: a folder, a mailbox, a database." },
 { "key": "copies", "label": "Where copies are kept", "type": "multiselect", "required": true, "options": ["Local repository", "Second site", "Cloud", "Immutable or offline"] },
 { "key": "approver", "label": "Who gets the report", "type": "email", "required": true }
]
$form$,
  $flow$
{
 "steps": [
  {
   "id": "jobs-section",
   "type": "section_header",
   "title": "Jobs",
   "description": ""
  },
  {
   "id": "last-run",
   "type": "procedure_step",
   "title": "See the newest restore point of {{target_label}}",
   "description": "In {{backup_tool}}: the newest good restore point is at most {{max_age_hours}} hours old. Look at the restore point, not at the job: a job may succeed without this system in it.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "last-run-old",
     "title": "It is older, or the job failed",
     "description": "Read the job's log from its first error on. Usual reasons: credentials changed, agent offline, repository full, snapshot failed. Start the job again now, and stay until it has run. Tell {{approver}} if there is no backup of today in the end."
    }
   ]
  },
  {
   "id": "history",
   "type": "procedure_step",
   "title": "Look at the last 14 runs",
   "description": "Note warnings and failures, and the growth of size and duration. Twice as large or half as large as usual is a sign: a new disk, a lost disk, or data encrypted by an attacker, which no longer compresses.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "history-jump",
     "title": "The size has jumped",
     "description": "Find out what has changed on {{target_label}} before you trust the newest point. If many files have strange extensions or are unreadable, stop here: protect the older restore points from deletion and call it an incident."
    }
   ]
  },
  {
   "id": "coverage",
   "type": "procedure_step",
   "title": "Check that everything of {{target_label}} is in it",
   "description": "Compare the disks in the backup with those of the machine. Windows:\n\n```powershell\nGet-Volume | Where-Object DriveType -eq 'Fixed' | Select-Object DriveLetter, FileSystemLabel, Size\nvssadmin list writers | Select-String 'Writer name', 'State', 'Last error'\n```\n\nEvery disk with data has to be in the job, and each writer should say `[1] Stable` and `No error`. Linux: `lsblk -f`; databases need a dump or a snapshot that the database knows of.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "coverage-writer",
     "title": "A VSS writer is not stable",
     "description": "Restart the service that belongs to the writer, or {{target_label}} in the next window. Run the job again afterwards: without the writer a database is copied as if its power had been cut."
    }
   ]
  },
  {
   "id": "copies-section",
   "type": "section_header",
   "title": "Copies",
   "description": ""
  },
  {
   "id": "second-copy",
   "type": "procedure_step",
   "title": "Check the copies: {{copies}}",
   "description": "The rule is three copies, on two kinds of storage, one elsewhere, one that cannot be changed. Open each place: the copy of {{target_label}} there is no older than {{max_age_hours}} hours, or than its own schedule.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "second-copy-late",
     "title": "A copy is behind",
     "description": "Look at the line's load and at the queue of copy jobs. Start the copy by hand, and look again at the end of the day."
    }
   ]
  },
  {
   "id": "protected",
   "type": "procedure_step",
   "title": "Check that an attacker could not delete them",
   "description": "At least one copy is immutable or offline, the repository is not in the domain, its administrators have MFA and accounts of their own, and the retention still ends in the future. Try to delete an old restore point of the immutable copy: it has to be refused.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "protected-not",
     "title": "Nothing is out of reach",
     "description": "Note it as a risk in {{ticket_number}} with a proposal, and have {{approver}} acknowledge it in writing."
    }
   ]
  },
  {
   "id": "keys",
   "type": "procedure_step",
   "title": "Check that the password of the backup can be found",
   "description": "Encrypted backups die with their password. Find it in the password manager as somebody who did not set it up, and check that it is also kept where it can be read when {{target_label}} and the whole domain are gone.",
   "estimated_minutes": 5
  },
  {
   "id": "restore-section",
   "type": "section_header",
   "title": "Restore",
   "description": ""
  },
  {
   "id": "restore",
   "type": "procedure_step",
   "title": "Restore {{restore_item}} to another place",
   "description": "Never over the original. Choose a restore point of last week rather than the newest: it proves the retention too. Take the time.",
   "estimated_minutes": 20,
   "fallback_steps": [
    {
     "id": "restore-fails",
     "title": "The restore fails",
     "description": "Try the point before it, then a point of another copy. Note which ones work. A chain with a broken point needs a new full backup today. Tell {{approver}} at once: from now on there is a known gap."
    }
   ]
  },
  {
   "id": "compare",
   "type": "procedure_step",
   "title": "Confirm that the restored data can be used",
   "description": "Open it: read documents, attach the database and count rows, start the mailbox. For files compare checksums:\n\n```powershell\nGet-FileHash 'C:\\restore\\file', 'D:\\original\\file' | Select-Object Hash, Path\n```\n\nTwo equal hashes prove it, as long as the original has not changed since. Linux: `sha256sum` of both.",
   "estimated_minutes": 10,
   "fallback_steps": [
    {
     "id": "compare-different",
     "title": "The data cannot be opened or differs",
     "description": "Look whether the original has changed since the restore point. If not, the backup is silently damaged: run the tool's integrity check, make a new full backup, and repeat this step with it."
    }
   ]
  },
  {
   "id": "estimate",
   "type": "procedure_step",
   "title": "Estimate a full restore of {{target_label}}",
   "description": "Size in GB, divided by the GB per minute that you measured, plus half an hour. Compare with the promised {{restore_hours}} hours.",
   "estimated_minutes": 5,
   "fallback_steps": [
    {
     "id": "estimate-long",
     "title": "It would take longer than promised",
     "description": "Put it in the report with a proposal: instant recovery from the repository, a faster line, or another promise."
    }
   ]
  },
  {
   "id": "close-section",
   "type": "section_header",
   "title": "Close",
   "description": ""
  },
  {
   "id": "tidy",
   "type": "procedure_step",
   "title": "Delete the restored copy",
   "description": "It holds the client's data. Delete it, empty the recycle bin, and confirm that the test place is empty.",
   "estimated_minutes": 5
  },
  {
   "id": "report",
   "type": "procedure_step",
   "title": "Report to {{approver}}",
   "description": "Age of the newest point, coverage, copies, what was restored ({{restore_item}}), how long it took, what is open. Confirm that the report is in {{ticket_number}} and that open points have tickets of their own.",
   "estimated_minutes": 5
  },
  {
   "id": "end",
   "type": "procedure_end",
   "title": "The backup of {{target_label}} is proved",
   "description": "Next month restore something else."
  }
 ]
}
$flow$);

drop function app.add_starter_flow;
