-- Network diagrams and the kinds of devices they are drawn with.
create table device_types (
  id         uuid not null default uuidv7(),
  account_id uuid not null default app.account_id() references accounts on delete cascade,
  team_id    uuid,
  name       text not null check (length(name) between 1 and 200),
  category   text not null check (category in ('network', 'compute', 'storage', 'cloud', 'endpoint', 'infrastructure', 'security')),
  icon       text check (length(icon) <= 100),
  created_by uuid default app.user_id(),
  created_at timestamptz(3) not null default app.now(),
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
-- One name per team; those of the platform belong to none.
create unique index device_types_name on device_types (account_id, team_id, lower(name)) nulls not distinct;
create index device_types_category on device_types (account_id, category, lower(name), id);
alter table device_types enable row level security;
alter table device_types force row level security;
create policy reads on device_types for select using (
  (account_id = app.account_id() and app.sees('team', created_by, team_id))
  or (app.account_id() is not null and account_id = app.platform_account()));
create policy adds on device_types for insert with check (account_id = app.account_id());
create policy changes on device_types for update using (account_id = app.account_id()) with check (account_id = app.account_id());
create policy removes on device_types for delete using (account_id = app.account_id());
grant select, insert, update (name, category, icon), delete on device_types to app_runtime;
grant select, insert, update, delete on device_types to app_platform;

insert into device_types (account_id, name, category, icon, created_by)
select app.platform_account(), name, category, icon, app.service_user() from (values
  ('Router', 'network', 'router'), ('Switch (access)', 'network', 'switch'), ('Switch (core)', 'network', 'switch-core'),
  ('Wireless access point', 'network', 'access-point'), ('Wireless controller', 'network', 'wireless-controller'),
  ('Load balancer', 'network', 'load-balancer'), ('SD-WAN appliance', 'network', 'sd-wan'), ('Modem', 'network', 'modem'),
  ('Media converter', 'network', 'media-converter'), ('VoIP gateway', 'network', 'voip-gateway'),
  ('Physical server', 'compute', 'server'), ('Hypervisor host', 'compute', 'hypervisor'), ('Virtual machine', 'compute', 'virtual-machine'),
  ('Container host', 'compute', 'container'), ('Domain controller', 'compute', 'domain-controller'), ('Terminal server', 'compute', 'terminal-server'),
  ('Mail server', 'compute', 'mail-server'), ('Print server', 'compute', 'print-server'),
  ('NAS', 'storage', 'nas'), ('SAN', 'storage', 'san'), ('Backup appliance', 'storage', 'backup'), ('Tape library', 'storage', 'tape'),
  ('Database server', 'storage', 'database'), ('File server', 'storage', 'file-server'),
  ('Internet', 'cloud', 'internet'), ('Public cloud', 'cloud', 'cloud'), ('SaaS application', 'cloud', 'saas'),
  ('Cloud virtual network', 'cloud', 'cloud-network'), ('Cloud storage', 'cloud', 'cloud-storage'), ('Identity provider', 'cloud', 'identity'),
  ('Desktop', 'endpoint', 'desktop'), ('Laptop', 'endpoint', 'laptop'), ('Thin client', 'endpoint', 'thin-client'),
  ('Printer', 'endpoint', 'printer'), ('Multifunction device', 'endpoint', 'multifunction'), ('IP phone', 'endpoint', 'ip-phone'),
  ('Smartphone', 'endpoint', 'smartphone'), ('Tablet', 'endpoint', 'tablet'), ('Point of sale terminal', 'endpoint', 'pos'),
  ('Conference system', 'endpoint', 'conference'), ('Barcode scanner', 'endpoint', 'scanner'),
  ('Rack', 'infrastructure', 'rack'), ('UPS', 'infrastructure', 'ups'), ('PDU', 'infrastructure', 'pdu'),
  ('Patch panel', 'infrastructure', 'patch-panel'), ('KVM switch', 'infrastructure', 'kvm'), ('Environment sensor', 'infrastructure', 'sensor'),
  ('Firewall', 'security', 'firewall'), ('VPN gateway', 'security', 'vpn'), ('Intrusion detection', 'security', 'ids'),
  ('Mail security gateway', 'security', 'mail-security'), ('IP camera', 'security', 'camera'), ('Access control', 'security', 'access-control'),
  ('Video recorder', 'security', 'video-recorder')) t (name, category, icon);

create table network_diagrams (
  id          uuid not null default uuidv7(),
  account_id  uuid not null default app.account_id() references accounts on delete cascade,
  team_id     uuid not null,
  name        text not null check (length(name) between 1 and 200),
  description text not null default '' check (length(description) <= 20000),
  client_name text check (length(client_name) <= 200),
  asset_name  text check (length(asset_name) <= 200),
  nodes       jsonb not null check (jsonb_typeof(nodes) = 'array'),
  edges       jsonb not null check (jsonb_typeof(edges) = 'array'),
  is_archived boolean not null default false,
  created_by  uuid not null default app.user_id(),
  created_at  timestamptz(3) not null default app.now(),
  updated_at  timestamptz(3) not null default app.now(),
  search      text generated always as (lower(name || E'\n' || description || E'\n' || coalesce(client_name, '') || E'\n' || coalesce(asset_name, ''))) stored,
  primary key (id),
  unique (account_id, id),
  foreign key (account_id, team_id) references teams (account_id, id),
  foreign key (account_id, created_by) references users (account_id, id)
);
create index network_diagrams_newest on network_diagrams (account_id, is_archived, updated_at desc, id desc);
create index network_diagrams_client on network_diagrams (account_id, lower(client_name));
create index network_diagrams_search on network_diagrams using gin (account_id, search gin_trgm_ops);
alter table network_diagrams enable row level security;
alter table network_diagrams force row level security;
create policy reads on network_diagrams for select using (account_id = app.account_id() and app.sees('team', created_by, team_id));
create policy adds on network_diagrams for insert with check (account_id = app.account_id());
create policy changes on network_diagrams for update using (account_id = app.account_id()) with check (account_id = app.account_id());
grant select, insert on network_diagrams to app_runtime;
grant update (name, description, client_name, asset_name, nodes, edges, is_archived, updated_at) on network_diagrams to app_runtime;
grant select, insert, update, delete on network_diagrams to app_platform;

-- As with flows: LIKE is not leakproof, so row level security would leave the index unused. Only ids leave.
create function app.find_diagrams(p_words text[]) returns setof uuid
language sql stable security definer set search_path = public, pg_temp as $$
  select d.id from network_diagrams d where d.account_id = app.account_id() and d.search like all (p_words)
$$;
