"""Messages of the wire to the values of ``_types``."""

from __future__ import annotations

from typing import Any

import numpy as np

from planarium._types import (
    Autoreset,
    BatchSpec,
    CatalogueEntry,
    ColumnBlock,
    Diagnostic,
    EpisodeEnds,
    LaserScan,
    LidarSpec,
    ObjectState,
    ScenarioHandle,
    ScenarioReport,
    ServerInfo,
    TensorSpec,
    WorldState,
)

_SEVERITIES = ("note", "warning", "error")


def column(data: bytes, dtype: str, *shape: int) -> Any:
    """Own copy of a little-endian bulk column as an array of native byte order."""
    values = np.frombuffer(data, np.dtype(dtype).newbyteorder("<"))
    native = values.astype(values.dtype.newbyteorder("="))
    return native.reshape(shape) if shape else native


def diagnostics_of(messages: Any) -> tuple[Diagnostic, ...]:
    """Findings, in the order of the message."""
    return tuple(
        Diagnostic(
            severity=_SEVERITIES[m.severity] if m.severity < len(_SEVERITIES) else "note",
            file=m.file,
            line=m.line,
            column=m.column,
            key_path=m.key_path,
            message=m.message,
            hint=m.hint,
        )
        for m in messages
    )


def report_of(m: Any) -> ScenarioReport:
    """From ``ScenarioReport``."""
    return ScenarioReport(m.valid, diagnostics_of(m.diagnostics))


def handle_of(m: Any) -> ScenarioHandle:
    """From ``ScenarioHandle``."""
    return ScenarioHandle(
        scenario_id=m.scenario_id,
        name=m.name,
        diagnostics=diagnostics_of(m.diagnostics),
        num_robots=m.num_robots,
        num_objects=m.num_objects,
        step_time=m.step_time,
    )


def _catalogue_entry_of(m: Any) -> CatalogueEntry:
    params = tuple((p.name, p.type, p.default_value, p.unit, p.doc) for p in m.params)
    return CatalogueEntry(m.kind, m.name, m.doc, params)


def server_info_of(m: Any) -> ServerInfo:
    """From ``ServerInfo``."""
    limits = {field.name: getattr(m.limits, field.name) for field in m.limits.DESCRIPTOR.fields}
    return ServerInfo(
        version=m.version,
        protocol=(m.protocol_major, m.protocol_minor),
        features=tuple(m.features),
        limits=limits,
        threads=m.threads,
        ray_kernel=m.ray_kernel,
        floating_point=m.floating_point,
        catalogue=tuple(_catalogue_entry_of(entry) for entry in m.catalogue),
    )


def _tensor_of(m: Any) -> TensorSpec:
    shape = tuple(m.shape)
    columns = tuple(ColumnBlock(c.term, c.start, c.width, c.unit, tuple(c.labels)) for c in m.columns)
    bounds = [column(data, "f4") for data in (m.low, m.high)]
    low, high = (b.reshape(shape) if b.size else np.zeros(0, np.float32) for b in bounds)
    return TensorSpec(m.name, shape, low, high, columns)


def _lidar_of(m: Any) -> LidarSpec:
    return LidarSpec(
        agent=m.agent,
        sensor=m.sensor,
        range_min=m.range_min,
        range_max=m.range_max,
        angles=column(m.angles, "f8"),
        offset=tuple(m.offset),
    )


def batch_spec_of(m: Any) -> BatchSpec:
    """From ``BatchSpec``."""
    return BatchSpec(
        batch_id=m.batch_id,
        num_envs=m.num_envs,
        num_agents=m.num_agents,
        agent_names=tuple(m.agent_names),
        observation=_tensor_of(m.observation),
        action=_tensor_of(m.action),
        autoreset=Autoreset(m.autoreset or Autoreset.NEXT_STEP),
        seed=m.seed,
        step_time=m.step_time,
        max_episode_steps=m.max_episode_steps,
        reward_terms=tuple(m.reward_terms),
        termination_names=tuple(m.termination_names),
        task_yaml=m.task_yaml,
        scenario_names=tuple(m.scenario_names),
        bytes_per_world=m.bytes_per_world,
        total_bytes=m.total_bytes,
        lease_seconds=m.lease_seconds,
        threads=m.threads,
        owner=m.owner,
        lidars=tuple(_lidar_of(lidar) for lidar in m.lidars),
    )


def episode_ends_of(m: Any, num_agents: int, observation_shape: tuple[int, ...]) -> EpisodeEnds:
    """From ``EpisodeEnds``; final observations only where the message has them."""
    slots = column(m.slots, "i4")
    k = len(slots)
    final = None
    if m.final_observations:
        final = column(m.final_observations, "f4", k, num_agents, *observation_shape)
    return EpisodeEnds(
        slots=slots,
        returns=column(m.returns, "f8", k, num_agents),
        lengths=column(m.lengths, "i4"),
        success=column(m.success, "u1").astype(np.bool_),
        reasons=column(m.reasons, "u1"),
        seeds=column(m.seeds, "u8"),
        episodes=column(m.episodes, "u8"),
        final_observations=final,
        scenarios=column(m.scenarios, "i4"),
        sim_seconds=column(m.sim_seconds, "f8"),
        path_lengths=column(m.path_lengths, "f8", k, num_agents),
        collided=column(m.collided, "u1"),
    )


def _scan_of(m: Any) -> LaserScan:
    return LaserScan(
        frame_id=m.frame_id,
        angle_min=m.angle_min,
        angle_max=m.angle_max,
        angle_increment=m.angle_increment,
        scan_time=m.scan_time,
        range_min=m.range_min,
        range_max=m.range_max,
        ranges=column(m.ranges, "f4"),
        valid=column(m.valid, "u1").astype(np.bool_),
        velocity=column(m.velocity, "f4", 2, -1) if m.velocity else None,
        hit_ids=column(m.hit_ids, "i4"),
    )


def _object_of(m: Any) -> ObjectState:
    return ObjectState(
        id=m.id,
        name=m.name,
        role=m.role,
        kinematics=m.kinematics,
        shape=m.shape,
        state=tuple(m.state),
        velocity=tuple(m.velocity),
        twist=tuple(m.twist),
        goal=tuple(m.goal),
        is_static=m.is_static,
        arrive=m.arrive,
        collision=m.collision,
        stop=m.stop,
        scans=tuple(_scan_of(scan) for scan in m.scans),
        vertices=column(m.vertices, "f8", -1, 2),
        radius=m.radius,
        center=tuple(m.center),
    )


def world_state_of(m: Any) -> WorldState:
    """From ``WorldState``."""
    return WorldState(
        name=m.name,
        step=m.step,
        time=m.time,
        stamp=m.stamp,
        step_time=m.step_time,
        status=m.status,
        objects=tuple(_object_of(item) for item in m.objects),
        episode_seed=m.episode_seed,
        episode=m.episode,
        bounds=tuple(m.bounds),
    )
