"""Statements as generated PyTorch has them; `$` marks a name that tests lengthen to reach the edge."""

ASSIGNMENTS = """
y$_BHTK = F.scaled_dot_product_attention(q_BHTK, k_BGTK, v_BGTK, is_causal=True, enable_gqa=True)
y$_BHTK = F.scaled_dot_product_attention(q_BHTK, k_BGSK, v_BGSK, attn_mask=seen_TS, enable_gqa=True)
y_BHTK = F.scaled_dot_product_attention(q$_BHTK, k_BGSK, v_BGSK, attn_mask=seen_TS, scale=K**-0.5)
seen_TS = torch.ones(T, pos + T, dtype=torch.bool, device=x$_BTD.device).tril(pos)
seen$_TS = torch.ones(T, pos + T, dtype=torch.bool, device=x_BTD.device).tril(pos)
seen_B1TS = seen_TS & mask$_BS[:, None, None, :]
mask_B11S = torch.where(mask$_BS, 0.0, float("-inf"))[:, None, None, :].to(dtype=x_BTD.dtype)
kv_2BGCK[:, :, :, pos : pos + T] = torch.stack((k$_BGTK, v_BGTK))
kv$_2BGCK[:, :, :, pos : pos + T] = torch.stack((k_BGTK, v_BGTK))
kv_2BGCK[:, :, :, pos : pos + T] = new$_2BGTK
k_BGSK, v_BGSK = kv$_2BGCK[:, :, :, : pos + T]
q, k, v = self.qkv(x$_BTD).split((H * K, G * K, G * K), dim=-1)
q$_BHTK, k, v = self.qkv(x_BTD).split((H * K, G * K, G * K), dim=-1)
gate_BTM, up_BTM = self.gate_up(x$_BTD).chunk(2, dim=-1)
q_BHTK = rope(q.view(B, T, H, K).transpose(1, 2), angle$_TK)
k$_BGTK = rope(k.view(B, T, G, K).transpose(1, 2), angle_TK)
v_BGTK = v$.view(B, T, G, K).transpose(1, 2)
v$_BGTK = v.view(B, T, G, K).transpose(1, 2).contiguous()
v$_BGTK = v.view(B, T, G, K).permute(0, 2, 1, 3).reshape(B * G, T, K).contiguous()
B, T, _ = x$_BTD.shape
B, _, T, _ = x_BCHW$.shape
a, b = x$_BNTK.float().chunk(2, dim=-1)
turned_BNTK = torch.cat((-b, a), dim=-1) * angle$_TK.sin() + x_BNTK * angle_TK.cos()
turned$_BNTK = torch.cat((-b, a), dim=-1) * angle_TK.sin() + x_BNTK * angle_TK.cos()
freq_K = ROPE_BASE ** (-torch.arange(0, K, 2, device=tokens$_BT.device).repeat(2) / K)
freq$_K = ROPE_BASE ** (-torch.arange(0, K, 2, device=tokens_BT.device).repeat_interleave(2) / K)
freq_K = 1.0 / (ROPE_BASE ** (torch.arange(0, K, 2, dtype=torch.float32, device=x$.device) / K))
place_T = torch.arange(pos, pos + tokens$_BT.shape[1], device=tokens_BT.device)
place$_T = torch.arange(pos, pos + tokens_BT.shape[1], device=tokens_BT.device)
angle_TK = torch.outer(place$_T, freq_K)
x_BTD = self.embed(tokens$_BT)
x$_BTD = self.tokens(tokens_BT) + self.positions(place_T) + self.types(types_BT)
x_BTD = self.tokens(tokens_BT) * math.sqrt(D) + self.positions.weight[: tokens$_BT.shape[1]]
x_BTD = x_BTD + self.attn(self.norm_attn(x_BTD), angle_TK, kv$_2BGCK, pos)
x_BTD = x_BTD + self.mlp(self.norm_mlp(x$_BTD))
x_BTD = self.norm(x_BTD + F.dropout(self.attn(x$_BTD, mask_BT), p=0.1, training=self.training))
x_BTD = block(x_BTD, angle$_TK, kv_2BGCK, pos)
x$_BTD = block(x_BTD, memory_BSD, angle_TK, kv_2BGCK, pos, mask_BT, memory_mask_BS)
kv_2BGCK = None if kv$_L2BGCK is None else kv_L2BGCK[layer]
kv$_2BGCK = None if kv_L2BGCK is None else kv_L2BGCK[layer]
bias_BTD = self.bias$(x_BTD) if self.training and mask_BT is not None else torch.zeros_like(x_BTD)
self.qkv = nn.Linear(D$, (H + 2 * G) * K, bias=False)
self.out$ = nn.Linear(H * K, D, bias=False)
self.norm_attn, self.attn = nn.RMSNorm(D, eps=EPS), Attention$()
self.norm_attn$, self.attn = nn.LayerNorm(D, eps=EPS, bias=False), Attention(D, H, K)
self.norm_mlp, self.mlp$ = nn.RMSNorm(D, eps=EPS), Mlp()
self.blocks = nn.ModuleList(Block$() for _ in range(L))
self.blocks = nn.ModuleList(Block$(window) for window in (None, 4096, None, 4096, None, 4096, 1024))
self.blocks = nn.ModuleList([Block$(layer, window=WINDOWS[layer]) for layer in range(L) if layer % 2])
self.embed = nn.Embedding(V$, D, padding_idx=0)
self.embed$.weight = self.head.weight
self.project$ = nn.Conv2d(3, D, kernel_size=(P, P), stride=(P, P), padding=0, bias=True)
self.cls = nn.Parameter(torch.zeros(1, 1, D$))
self.cls$ = nn.Parameter(torch.empty(1, 1, D), requires_grad=True)
self.positions = nn.Parameter(torch.randn(1, (HEIGHT // P) * (WIDTH // P) + 1, D$) * 0.02)
x_BPD = self.project(image$_BCHW).flatten(2).transpose(1, 2)
x$_BPD = self.project(image_BCHW).flatten(2).transpose(1, 2).contiguous() + self.positions
x_BND = torch.cat((self.cls.expand(B, -1, -1), x$_BPD), dim=1)
x$_BND = torch.cat((self.cls.expand(image_BCHW.shape[0], -1, -1), x_BPD), dim=1) + self.positions
count_B1 = mask$_BT.sum(dim=1, keepdim=True).clamp(min=1)
y_BD = (x$_BTD * mask_BT[:, :, None]).sum(dim=1) / mask_BT.sum(dim=1, keepdim=True).clamp(min=1)
y$_BD = (x_BTD * mask_BT[:, :, None]).sum(dim=1) / mask_BT.sum(dim=1, keepdim=True).clamp(min=1)
y_BD = x_BTD[torch.arange(B, device=x_BTD.device), tokens$_BT.argmax(dim=-1)]
y$_BD = x_BTD[torch.arange(tokens_BT.shape[0], device=x_BTD.device), tokens_BT.argmax(dim=-1)]
score_BHTS = q_BHTK @ k$_BHSK.transpose(-2, -1) * K**-0.5
score$_BHTS = q_BHTK @ k_BHSK.transpose(-2, -1) * K**-0.5 + bias_HTS[None] - slope_H11 * distance_TS
weight_BHTS = score$_BHTS.masked_fill(~seen_TS, float("-inf")).softmax(dim=-1, dtype=torch.float32)
weight$_BHTS = score_BHTS.masked_fill(~seen_TS, float("-inf")).softmax(dim=-1).to(v_BHSK.dtype)
L, D, V$ = 32, 4096, 128_256
H, G, K, M = 32, 8, 128, 14_336
EPS$, ROPE_BASE = 1e-5, 500_000.0
D$ = H * K
M = 4 * D$ // 256 * 256
SIZES$ = {"small": (768, 12), "medium": (1024, 24), "large": (1280, 36), "xl": (1600, 48)}
WINDOWS$ = [4096, None, 4096, None, 4096, None, 4096, None, 4096, None, 4096, None]
loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens$[:, 1:].flatten())
loss$ = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten(), reduction="sum")
std = 0.02 / math.sqrt(2 * L$) if name.endswith(("out.weight", "down.weight")) else 0.02
x$_BTD += self.attn(self.norm_attn(x_BTD), angle_TK, kv_2BGCK, pos)
x_BTD[:, pos$] += self.positions.weight[pos]
kv$: Tensor | None = None
sizes$: tuple[int, ...] = (H * K, G * K, G * K)
names: dict[str, tuple[Tensor, Tensor]] = dict.fromkeys(model$.blocks)
a = b$ = c = torch.zeros(1)
first, *rest = split$(x_BTD)
mean_BT1, var_BT1 = x$_BTD.mean(dim=-1, keepdim=True), x_BTD.var(dim=-1, keepdim=True)
mean$_BT1, var_BT1 = torch.var_mean(x_BTD, dim=-1, keepdim=True, correction=0)
(only,) = outputs$
top$ = x.topk(2).indices[..., 0]
some_long_name_of_a_constant$ = another_long_name_of_a_constant
some_long_name_of_a_constant = another_long_name_of_a_constant$
text = "some words that cannot be broken anywhere, as they are one string$"
text$ = f"{name} has {count} parameters"
value$ = -1e-5
keep_BT = (tokens$_BT != PAD) & (tokens_BT != CLS) & (tokens_BT != SEP) | is_first_BT
same_BTS = segments$_BT[:, :, None] == segments_BT[:, None, :]
near$_TS = (place_T[:, None] - place_S[None, :] < WINDOW) & (place_T[:, None] >= place_S[None, :])
last = not self.training$ and kv_L2BGCK is not None and pos == 0 or tokens_BT.shape[1] == 1
angle$_TK = torch.outer(place_T, freq_K)[None, None, :, :]
y_BTD = self.down(F.gelu(self.up(x$_BTD), approximate="tanh"))
y$_BTD = self.down(F.silu(self.gate(x_BTD)) * self.up(x_BTD))
h_BTM = F.relu(self.up(x$_BTD)).square()
h$_BTM = x_BTM * torch.sigmoid(1.702 * x_BTM)
out$_TD = torch.zeros_like(x_TD).index_add_(0, token_N, weight_N1 * expert(x_TD[token_N]))
x$_BHTK = torch.stack((x[..., 0::2], x[..., 1::2]), dim=-1).flatten(-2)
x$[..., ::2], x[..., 1::2] = x[..., 1::2], x[..., ::2]
x$ = x[:, 1:-1, H // 2 :, : K - 1, pos : pos + T : 2, -1, None, ...]
"""

RETURNS = """
return self.out(y_BHTK.transpose(1, 2).reshape(B, T, H * K$))
return self.out(y$_BHTK.transpose(1, 2).reshape(B, T, H * K).contiguous())
return turned_BNTK$.to(x_BNTK.dtype)
return self.down(F.silu(gate_BTM) * up$_BTM)
return x_BTD + self.mlp(self.norm_mlp(x$_BTD))
return self.norm(x_BTD + self.mlp(x$_BTD))
return self.head(self.norm(x$_BTD))
return F.linear(self.norm(x$_BTD), self.embed.weight) * D**-0.5
return self.norm(x$_BTD) @ self.embed.weight.T, kv_L2BGCK
return self.norm(x_BTD), self.pool$(x_BTD[:, 0])
return x$_BTD, self.pooler(x_BTD[:, 0]).tanh(), tokens_BT
return hidden$_BTD, torch.tanh(self.pooler(hidden_BTD[:, 0], some_other_argument=another_value))
return x_BTD$
return (x_BTD * mask_BT1$).sum(1) / mask_BT1.sum(1)
return F.normalize((x_BTD * mask_BT1).sum(1) / mask_BT1.sum(1).clamp(min=1e-9), dim=-1, eps=EPS$)
return torch.cat((x$_BTD[:, :pos], new_BTD, x_BTD[:, pos:]), dim=1)
return x if y$ is None else x + y
return not (self.training$ and x is None)
return [block(x$) for block in self.blocks if block is not None]
return {"logits": logits$_BTV, "hidden": x_BTD, "cache": kv_L2BGCK, "attention": weight_BHTS}
return -torch.log(x$).sum()
return ~mask$_BT
return
"""

HEADERS = """
def forward(self, x_BTD: Tensor, angle_TK: Tensor, kv_2BGCK: Tensor | None, pos$: int) -> Tensor:
def forward(self, tokens_BT: Tensor, kv_L2BGCK: Tensor | None = None, pos$: int = 0) -> Tensor:
def forward(self, x$: Tensor) -> Tensor:
def forward(self, x: Tensor, mask$: Tensor | None = None) -> tuple[Tensor, Tensor]:
def rope(x_BNTK: Tensor, angle$_TK: Tensor) -> Tensor:
def init$(module: nn.Module, std: float = 0.02, *, depth: int = 1, gain: float = 1.0) -> None:
def main$() -> None:
def cache$() -> tuple[Tensor, Tensor, Tensor]:
def __init__(self) -> None:
def forward$(self, source_BS: Tensor, target_BT: Tensor, source_mask_BS: Tensor, target_mask_BT: Tensor):
class Attention$(nn.Module):
class Block$(nn.Module, SomeMixinOfTheLibrary, metaclass=Registered):
class Config$:
for layer, block in enumerate(self.blocks$):
for layer$, (block, kv_2BGCK) in enumerate(zip(self.blocks, kv_L2BGCK, strict=True)):
for name, parameter in sorted(model$.named_parameters(), key=by_name, reverse=True):
for block in self.blocks$:
for step in range(steps$):
for name$, size, stride in (("small", 3, 1), ("medium", 5, 2), ("large", 7, 2), ("huge", 11, 4)):
if kv$_2BGCK is None:
if self.training and mask_BT$ is not None and kv_2BGCK is None and pos == 0:
if tokens_BT.shape[1] > self.positions$.num_embeddings - pos:
if isinstance(module, (nn.Linear, nn.Embedding, nn.Conv2d, nn.LayerNorm, nn.RMSNorm$)):
if not torch.allclose(a$, b, atol=1e-5):
elif isinstance(module$, nn.Embedding) and module.padding_idx is not None:
elif name.endswith("weight") and parameter$.dim() >= 2 and not name.startswith("embed"):
while tokens_BT.shape[1] < length$ and not (tokens_BT[:, -1] == END).all():
with torch.no_grad$():
with torch.autocast("cuda", dtype=torch.bfloat16, enabled=x$_BTD.is_cuda, cache_enabled=False):
with torch.no_grad(), torch.autocast("cuda", dtype=torch.bfloat16, enabled=x$_BTD.is_cuda):
with open(path$) as file:
with safe_open(path$, framework="pt", device="cpu") as weights:
@torch.no_grad$()
@register$(name="attention", kinds=("self", "cross"), dtype=torch.float32, device=None)
"""

OTHERS = """
super().__init__()
nn.init.normal_(self.qkv$.weight, std=0.02)
nn.init.trunc_normal_(self.positions$, mean=0.0, std=0.02, a=-2 * 0.02, b=2 * 0.02)
nn.init.uniform_(self.out$.weight, -1 / math.sqrt(H * K), 1 / math.sqrt(H * K))
self.register_buffer("freq_K", ROPE_BASE ** (-torch.arange(0, K$, 2) / K), persistent=False)
self.register_buffer$("slope_H", 2 ** (-8 * torch.arange(1, H + 1) / H), persistent=False)
self.apply(partial$(init, std=0.02))
optimizer$.zero_grad()
F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens$[:, 1:].flatten()).backward()
print(f"{sum(p.numel() for p in model$.parameters()):,} parameters")
assert x$_BTD.shape[-1] == D
assert x_BTD.shape == (B, T, D), f"wrong shape {x$_BTD.shape}"
assert tokens$_BT.shape[1] <= CONTEXT, "more tokens than the table of positions has rows for"
raise ValueError(f"unknown kind {kind$!r}; use one of self, cross, causal, full, prefix or window")
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.flex_attention$ import BlockMask, create_block_mask, flex_attention, noop_mask
pass
x$_BTD
a + b$
"""


def family(text: str) -> list[str]:
    """The statements of one of the texts above."""
    return [line for line in text.split("\n") if line]
