"""Providers and model families, as data: where they are reached, which variable holds the key, who is related."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["ALIASES", "FAMILIES", "PROVIDERS", "Provider", "model_family", "provider_name"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """How a provider is reached.

    Attributes:
        sdk: Which SDK speaks to it.
        base_url: ``None`` where every customer has their own.
        url_variable: Environment variable that may hold another base URL.
        keys: Environment variables that may hold the key, each with the client's argument for it.
        needs_key: ``False`` for servers that people run themselves.
    """

    sdk: Literal["openai", "anthropic", "azure"] = "openai"
    base_url: str | None = None
    url_variable: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    needs_key: bool = True


def _compatible(base_url: str, *variables: str) -> Provider:
    return Provider(base_url=base_url, keys=dict.fromkeys(variables, "api_key"))


def _local(port: int) -> Provider:
    return Provider(base_url=f"http://localhost:{port}/v1", needs_key=False)


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        base_url="https://api.openai.com/v1", url_variable="OPENAI_BASE_URL", keys={"OPENAI_API_KEY": "api_key"}
    ),
    "anthropic": Provider(
        sdk="anthropic",
        base_url="https://api.anthropic.com",
        url_variable="ANTHROPIC_BASE_URL",
        keys={"ANTHROPIC_API_KEY": "api_key", "ANTHROPIC_AUTH_TOKEN": "auth_token"},
    ),
    "azure_openai": Provider(
        sdk="azure",
        url_variable="AZURE_OPENAI_ENDPOINT",
        keys={"AZURE_OPENAI_API_KEY": "api_key", "AZURE_OPENAI_AD_TOKEN": "azure_ad_token"},
    ),
    "cerebras": _compatible("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    "cohere": _compatible("https://api.cohere.ai/compatibility/v1", "COHERE_API_KEY", "CO_API_KEY"),
    "dashscope": _compatible("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
    "deepseek": _compatible("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "fireworks": _compatible("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "gemini": _compatible(
        "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "GOOGLE_API_KEY"
    ),
    "groq": _compatible("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "huggingface": _compatible("https://router.huggingface.co/v1", "HF_TOKEN", "HUGGINGFACE_API_KEY"),
    "mistral": _compatible("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "moonshot": _compatible("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    "nvidia": _compatible("https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
    "openrouter": _compatible("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "perplexity": _compatible("https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
    "together": _compatible("https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    "xai": _compatible("https://api.x.ai/v1", "XAI_API_KEY"),
    "llama_cpp": _local(8080),
    "lm_studio": _local(1234),
    "localai": _local(8080),
    "ollama": _local(11434),
    "vllm": _local(8000),
}

ALIASES: Mapping[str, str] = {
    "azure": "azure_openai",
    "claude": "anthropic",
    "google": "gemini",
    "google_genai": "gemini",
    "grok": "xai",
    "hf": "huggingface",
    "hugging_face": "huggingface",
    "llamacpp": "llama_cpp",
    "lmstudio": "lm_studio",
    "mistralai": "mistral",
    "open_router": "openrouter",
    "qwen": "dashscope",
    "together_ai": "together",
    "togetherai": "together",
}
"""Other names of the same."""

FAMILIES: tuple[tuple[str, str], ...] = (
    # A distilled model carries two names: that of the model whose replies it learnt comes first here, and counts.
    ("deepseek", r"deepseek"),
    ("claude", r"claude"),
    ("gemini", r"gemini"),
    ("gemma", r"gemma"),
    ("gpt", r"\bgpt|chatgpt|\bo[1345]\b|davinci"),
    ("jais", r"\bjais"),
    ("allam", r"\ballam"),
    ("fanar", r"\bfanar"),
    ("falcon", r"falcon"),
    ("acegpt", r"acegpt"),
    ("command", r"command|\bc4ai|\baya\b"),
    ("mistral", r"mistral|mixtral|ministral|magistral|codestral|pixtral"),
    ("qwen", r"qwen|\bqwq"),
    ("grok", r"\bgrok"),
    ("glm", r"\bglm|chatglm"),
    ("kimi", r"kimi|moonshot"),
    ("phi", r"\bphi\b|\bphi-?\d"),
    ("nova", r"\bnova\b"),
    ("yi", r"\byi-"),
    ("minimax", r"minimax"),
    ("llama", r"llama"),
)
"""Families and how their models are called, the more telling name first."""


def model_family(name: str) -> str | None:
    """The family of a model, by its name; ``None`` where the name does not tell.

    The part after the last ``/`` decides where it tells: ``groq/llama-3.3-70b`` is a llama.

    >>> [model_family(name) for name in ("gpt-4o", "anthropic/claude-sonnet-4-5", "o3-mini", "my-deployment")]
    ['gpt', 'claude', 'gpt', None]
    """
    name = name.lower().replace("_", "-")
    for part in (name.rpartition("/")[2], name):
        for family, pattern in FAMILIES:
            if re.search(pattern, part):
                return family
    return None


def provider_name(name: str) -> str:
    """How a provider is called here, whatever the spelling; an unknown one keeps its own.

    >>> provider_name("Azure OpenAI"), provider_name("google"), provider_name("our-server")
    ('azure_openai', 'gemini', 'our_server')
    """
    plain = re.sub(r"[\s.-]+", "_", name.strip().lower())
    return ALIASES.get(plain, plain)
